/** The embedder of a page and its search, measured from its window. Opened by tests/bench/search-browser. */
import { pageVxHost } from "../../src/browser/index/vx-thread.ts";
import { openEmbedder } from "../../src/browser/search/open-embedder.ts";
import { Vx } from "../../src/vx/vx.ts";
import { benchOf } from "../bench/search-bench.ts";
import { openFilesBench } from "../bench/search-files.ts";

const opening = openEmbedder();
Object.assign(globalThis, {
  bench: benchOf(opening),
  files: openFilesBench({
    openEmbedder: () => opening,
    openVectors: async ({ folderName, dimension }) =>
      new Vx({ dimension, storagePath: `bench/${folderName}`, backupInterval: 0 }, pageVxHost()),
  }),
});
