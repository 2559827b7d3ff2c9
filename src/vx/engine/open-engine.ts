/**
 * Opens an index and the engine on it. Called where the engine runs: in a worker, or by an inline host. Calls storage and
 * loading.
 */
import type { EngineSettings } from "../config.ts";
import { DimensionMismatchError, VxError } from "../errors.ts";
import type { LinkThreads } from "../hnsw/team.ts";
import { checkReduction, newReduction } from "../reduction-config.ts";
import type { IndexStorage, LocateArchive } from "../storage/index-storage.ts";
import type { IndexStore } from "../storage/index-store.ts";
import { openIndexStore } from "../storage/open-index-store.ts";
import type { IndexFacts } from "../storage/stored-index.ts";
import { recordsOptions } from "./empty-graph.ts";
import { IndexEngine } from "./index-engine.ts";
import { DEFAULT_DIMENSION } from "./limits.ts";
import { loadRecords } from "./loading.ts";
import { Records } from "./records.ts";
import { VolatileStore } from "./volatile-store.ts";

/** The media of a runtime. */
export interface EngineHost {
  /** Opens an index's folder, and makes it where it is missing; with `create: false` that is refused as `not_found`. */
  openStorage(path: string, options?: { create: boolean }): Promise<IndexStorage>;
  locateArchive: LocateArchive;
  /** Threads that help with large batches, where the runtime has them. */
  linkThreads?: LinkThreads | undefined;
}

/** @throws DimensionMismatchError, VxError as Vx.ready says */
export async function openEngine(settings: EngineSettings, host: EngineHost): Promise<IndexEngine> {
  const options = recordsOptions(settings, host.linkThreads);
  if (settings.storagePath === undefined) {
    if (!settings.create) throw new VxError("not_found", "An index in memory cannot be loaded");
    const facts = newFacts(settings);
    const records = await Records.create(facts, options);
    const store = new VolatileStore(facts, settings.encryptionKey, () => engine);
    const engine: IndexEngine = new IndexEngine({ settings, host, store, records });
    return engine;
  }
  const store = await openIndexStore(await host.openStorage(settings.storagePath, settings), {
    create: settings.create ? () => newFacts(settings) : undefined,
    encryptionKey: settings.encryptionKey,
  });
  try {
    checkStored(settings, store);
    const { records, refused } = await loadRecords(store, options);
    return new IndexEngine({ settings, host, store, records, refused });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What a new index is made with. @throws VxError `invalid_request` */
function newFacts({ dimension = DEFAULT_DIMENSION, ...settings }: EngineSettings): IndexFacts {
  return {
    dimension,
    metric: settings.distance ?? "cosine",
    m: settings.hnswM,
    efConstruction: settings.hnswEfConstruct,
    reduction: newReduction(settings.reduction, dimension),
  };
}

/** What is stored wins, but nobody who asked for something else is to believe that he has it. */
function checkStored({ dimension, distance, reduction }: EngineSettings, { facts }: IndexStore): void {
  if (dimension !== undefined && dimension !== facts.dimension) {
    throw new DimensionMismatchError(facts.dimension, dimension);
  }
  if (distance !== undefined && distance !== facts.metric) {
    throw new VxError("invalid_request", `The stored index is of distance ${facts.metric}, not ${distance}`);
  }
  checkReduction(reduction, facts.reduction);
}
