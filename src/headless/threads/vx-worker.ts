/** The thread that an index runs in: an engine on the file system. Started by vx-host, which sends the port. */
import { type MessagePort, workerData } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { openEngine } from "../../vx/engine/open-engine.ts";
import { serveEngine } from "../../vx/engine/serve-engine.ts";
import { locateFsArchive } from "../index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../index/fs-index-storage.ts";
import { nodeLinkThreads } from "./link-threads.ts";

const port = workerData as MessagePort;
const host = {
  openStorage: openFsIndexStorage,
  locateArchive: locateFsArchive,
  linkThreads: nodeLinkThreads(),
};
serveEngine(port as unknown as Endpoint, (settings) => openEngine(settings, host));
