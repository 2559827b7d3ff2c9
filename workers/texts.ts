/** The worker that reads texts out of documents. Started by src/browser/search/open-search; strangers wrote the documents. */
import type { Endpoint } from "comlink";
import { serveTexts } from "../src/search/texts/serve-texts.ts";

serveTexts(self as unknown as Endpoint);
