/** The embedder of a page, measured from its window. Opened by tests/bench/search-browser. */
import { openEmbedder } from "../../src/browser/open-embedder.ts";
import { benchOf } from "../bench/search-bench.ts";

Object.assign(globalThis, { bench: benchOf(openEmbedder()) });
