/** An engine on IndexedDB, as in a browser whose private file system has no sync handles. */
import type { Endpoint } from "comlink";
import { openIndexDisk } from "../../src/browser/index/index-disk.ts";
import { openEngine } from "../../src/vx/engine/open-engine.ts";
import { serveEngine } from "../../src/vx/engine/serve-engine.ts";

serveEngine(globalThis as unknown as Endpoint, async (settings) =>
  openEngine(settings, await openIndexDisk("idb")),
);
