/**
 * The worker that the vector index runs in: an engine on the browser's storage, and the folder of its backups. Started by
 * src/browser/index/vx-thread, which sends a port for each.
 */
import sqliteUrl from "@sqlite.org/sqlite-wasm/sqlite3.wasm?url";
import * as Comlink from "comlink";
import { serveArchives } from "../src/browser/index/archive-service.ts";
import { openIndexDisk } from "../src/browser/index/index-disk.ts";
import type { VxWorker } from "../src/browser/index/vx-thread.ts";
import { openEngine } from "../src/vx/engine/open-engine.ts";
import { serveEngine } from "../src/vx/engine/serve-engine.ts";
import { provideSqlite } from "../src/vx/sql/engine.ts";

provideSqlite(() => WebAssembly.compileStreaming(fetch(sqliteUrl)));
const disk = openIndexDisk();

const worker: VxWorker = {
  serveEngine(port) {
    serveEngine(port, async (settings) => openEngine(settings, await disk));
  },
  serveArchives(port, path) {
    serveArchives(port, async () => {
      const folder = await (await disk).openArchiveFolder(path);
      await folder.removePartials();
      return folder;
    });
  },
};

Comlink.expose(worker);
