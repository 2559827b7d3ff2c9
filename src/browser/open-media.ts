/**
 * What the parts of a page's node stand on: what is stored here, the files that people name, and what the host tells of the swarm.
 * All of it opens together, as far as one needs none of the others, and first what the network needs, whose dials take the
 * longest. Called by start-node, which waits for each when its turn comes.
 */
import type { Datastore } from "interface-datastore";
import { LossLog } from "../sharing/catalog/loss-log.ts";
import { loadStored, type Stored } from "../sharing/catalog/stored.ts";
import type { Closers } from "../sharing/closers.ts";
import type { Files, Log, Records } from "../sharing/ports.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { type IdbBlockStore, openIdbBlockStore } from "./blocks/idb-block-store.ts";
import { openOpfsFiles } from "./files/opfs-files.ts";
import { type HostNetwork, readHostNetwork } from "./network/host-network.ts";
import { openIdbDatastore } from "./network/idb-datastore.ts";
import type { PageStart } from "./page-start.ts";
import { openIdbRecords } from "./records/idb-records.ts";
import { type StorageWorker, startStorageWorker } from "./storage/storage-worker.ts";

export interface OpeningMedia {
  records: Promise<Records>;
  /** Undefined where it told nothing. */
  hostTold: Promise<HostNetwork | undefined>;
  /** Peers that were known at the last visit. */
  datastore: Promise<Datastore>;
  storage: Promise<StorageWorker>;
  blocks: Promise<IdbBlockStore>;
  files: Promise<Files>;
  stored: Promise<Stored>;
}

interface MediaParts {
  origin: URL;
  start: PageStart;
  log: Log;
  closers: Closers;
}

export function openMedia({ origin, start, log, closers }: MediaParts): OpeningMedia {
  const records = closers.keep(openIdbRecords().then(start.ifCutShort((it) => void it.close())), (it) =>
    it.close(),
  );
  const hostTold = readHostNetwork(origin, { records, log });
  const datastore = closers.keep(
    openIdbDatastore((error) => log.warn("known peers were not written", { error })),
    (it) => it.close(),
  );
  const lossLog = new LossLog(log, clock);
  const storage = closers.keep(startStorageWorker().then(start.ifCutShort((it) => it.stop())), async (it) =>
    it.stop(),
  );
  const blocks = closers.keep(
    storage.then(({ work }) =>
      openIdbBlockStore({ work: work.blocks, onLost: (block) => lossLog.lost(block) }),
    ),
    (it) => it.close(),
  );
  const files = storage.then(({ work }) => openOpfsFiles({ work: work.outputs }));
  const stored = Promise.all([blocks, records]).then(([blocks, records]) =>
    loadStored({ blocks, records, clock, log }),
  );
  // Until they are waited for a failure must not count as unhandled.
  for (const opening of [hostTold, files, stored] as Promise<unknown>[]) opening.catch(() => undefined);
  return { records, hostTold, datastore, storage, blocks, files, stored };
}
