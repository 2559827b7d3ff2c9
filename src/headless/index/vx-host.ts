/**
 * What Node.js gives the index library: a worker thread an index. Used by the package entry, open-index and open-search; starts
 * vx-worker.
 */
import { LocalSearch } from "../../vx/engine/local-search.ts";
import { RemoteEngine } from "../../vx/engine/remote-engine.ts";
import type { VxHost } from "../../vx/vx.ts";
import { startServingThread } from "../threads/serving-thread.ts";

export const nodeVxHost: VxHost = {
  startEngine: (settings) => RemoteEngine.open(startServingThread(), settings, new LocalSearch()),
};
