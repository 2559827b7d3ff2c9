/**
 * Search among the files of this page and its swarm. Called by start-node; calls search/file-search. Starts workers/texts.ts
 * for documents, workers/embed.ts for the model and workers/vx.ts for the vectors, each once there is a file to find.
 */
import type { HostSettings } from "../../api/ports.ts";
import { type FileSearch, openFileSearch } from "../../search/file-search.ts";
import type { MeaningPorts, VectorsOf } from "../../search/ports.ts";
import type { ChunkBuffers } from "../../sharing/files/chunk-buffers.ts";
import type { Exchange, Log, Swarm } from "../../sharing/ports.ts";
import type { SharingNode } from "../../sharing/sharing-node.ts";
import { systemClock as clock } from "../../sharing/system-clock.ts";
import { telling } from "../../vx/failure-log.ts";
import { Vx, type VxHost } from "../../vx/vx.ts";
import { chunksMove } from "../chunks-move.ts";
import { pageVxHost, VxThread } from "../index/vx-thread.ts";
import { servingWorker } from "../serving-worker.ts";
import { folderAt } from "../storage/opfs-folders.ts";
import { openEmbedder } from "./open-embedder.ts";

/** Hidden from `file_path` and its like, for its name begins with a dot. */
const FOLDER = [".shoal", "search"] as const;

interface OpenSearchParts {
  settings: Pick<HostSettings, "search" | "excerpts" | "search_model">;
  node: SharingNode;
  swarm: Swarm;
  exchange: Exchange;
  /** Of the block store; they tell when chunks are moved. */
  buffers: ChunkBuffers;
  log: Log;
}

export interface PageSearch extends FileSearch {
  /** Closes, and lets go of the vectors before the first await, so that another tab may open them. */
  end(): Promise<void>;
}

export function openPageSearch({
  settings,
  node,
  swarm,
  exchange,
  buffers,
  log,
}: OpenSearchParts): PageSearch {
  const thread = new VxThread();
  const meaning: MeaningPorts = {
    openEmbedder: () => openEmbedder(settings.search_model ?? undefined, chunksMove(buffers, clock)),
    openVectors: (model) => openVectors(model, telling(pageVxHost(thread), log)),
    startTextThread: () =>
      servingWorker(
        new Worker(new URL("../../../workers/texts.ts", import.meta.url), { type: "module", name: "texts" }),
      ),
    traffic: () => exchange.traffic(),
    tellsExcerpts: settings.excerpts,
  };
  const search = openFileSearch({ node, swarm, clock, log, ...(settings.search && { meaning }) });
  return {
    ...search,
    end() {
      const closed = search.close();
      thread.end();
      return closed;
    },
  };
}

async function openVectors({ folderName, dimension }: VectorsOf, host: VxHost): Promise<Vx> {
  await removeOthers(folderName);
  const storagePath = [...FOLDER, folderName].join("/");
  return new Vx({ dimension, storagePath, backupInterval: 0 }, host);
}

/** Vectors that other models made. Where the page keeps indexes in IndexedDB, they stay until the site's data is cleared. */
async function removeOthers(folderName: string): Promise<void> {
  try {
    const folder = await folderAt(await navigator.storage.getDirectory(), FOLDER);
    for await (const name of folder.keys()) {
      if (name !== folderName) await folder.removeEntry(name, { recursive: true });
    }
  } catch (error) {
    // Nothing was kept here yet, or the engine keeps this storage from the page.
    if (!(error instanceof DOMException)) throw error;
  }
}
