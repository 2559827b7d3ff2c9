/** The thread that reads texts out of documents. Started by open-search, which sends the port and limits its memory. */
import { type MessagePort, workerData } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { serveTexts } from "../../search/texts/serve-texts.ts";

const port = workerData as MessagePort;
serveTexts(port as unknown as Endpoint);
