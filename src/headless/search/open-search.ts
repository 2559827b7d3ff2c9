/**
 * Search among the files of this machine and its swarm, by the settings. Called by main; calls search/file-search. Vectors
 * stand in `search/<model>` of the data folder, an index like any other.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileSearch, openFileSearch } from "../../search/file-search.ts";
import type { MeaningPorts, VectorsOf } from "../../search/ports.ts";
import { THREAD_HEAP_MIB } from "../../search/texts/limits.ts";
import type { Closers } from "../../sharing/closers.ts";
import type { Exchange, Log, Swarm } from "../../sharing/ports.ts";
import type { SharingNode } from "../../sharing/sharing-node.ts";
import { systemClock as clock } from "../../sharing/system-clock.ts";
import { telling } from "../../vx/failure-log.ts";
import { Vx } from "../../vx/vx.ts";
import type { DataFolder } from "../data-folder.ts";
import { unlessGone } from "../files/disk-errors.ts";
import { closeInTime } from "../index/close-in-time.ts";
import { nodeVxHost } from "../index/vx-host.ts";
import { type Logger, toLogPort } from "../log.ts";
import type { Settings } from "../settings/settings.ts";
import { startServingProcess } from "../threads/serving-process.ts";
import { openEmbedder } from "./open-embedder.ts";

interface OpenSearchParts {
  node: SharingNode;
  swarm: Swarm;
  exchange: Exchange;
  folder: DataFolder;
  log: Logger;
  closers: Closers;
}

export function openSearch(
  settings: Settings,
  { node, swarm, exchange, folder, log, closers }: OpenSearchParts,
): FileSearch {
  const searchLog = toLogPort(log, "search");
  const meaning: MeaningPorts = {
    openEmbedder: () => openEmbedder(settings["search-model"]),
    openVectors: (model) => openVectors(folder.searchFolder, model, searchLog),
    startTextThread: () => startServingProcess("texts-process", THREAD_HEAP_MIB),
    traffic: () => exchange.traffic(),
    tellsExcerpts: settings.excerpts,
  };
  const search = openFileSearch({
    node,
    swarm,
    clock,
    log: searchLog,
    ...(settings.search && { meaning }),
  });
  closers.add(() => closeInTime(() => search.close(), log));
  return search;
}

async function openVectors(
  searchFolder: string,
  { folderName, dimension }: VectorsOf,
  log: Log,
): Promise<Vx> {
  for (const other of (await unlessGone(readdir(searchFolder))) ?? []) {
    if (other !== folderName) await rm(join(searchFolder, other), { recursive: true, force: true });
  }
  const storagePath = join(searchFolder, folderName);
  return new Vx({ dimension, storagePath, backupInterval: 0 }, telling(nodeVxHost, log));
}
