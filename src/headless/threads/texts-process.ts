/**
 * The process that reads texts out of documents. Started by open-search, which speaks to it over the channel between the two and
 * limits its memory.
 */
import { Worker } from "node:worker_threads";
import { serveTexts } from "../../search/texts/serve-texts.ts";
import { parentEndpoint } from "./process-endpoint.ts";

/**
 * Ends this process soon after its parent, of whose end a thread that a document keeps busy is not told. Windows does
 * so by itself.
 */
const WATCH = `
  const { workerData: parentId } = require("node:worker_threads");
  setInterval(() => process.ppid === parentId || process.kill(process.pid, "SIGKILL"), 1000);
`;

new Worker(WATCH, { eval: true, workerData: process.ppid }).unref();
serveTexts(parentEndpoint());
