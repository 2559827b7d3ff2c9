/**
 * A backup with all that it goes on from, as a stored index. Made by openArchive; calls the readers that the
 * index's own folder is loaded by.
 */
import type { ArchiveReader } from "./archive-reader.ts";
import { asBackupErrors, damaged } from "./damage.ts";
import { type FileHeader, sameHistory } from "./file-header.ts";
import type { IndexKey } from "./key.ts";
import type { Manifest } from "./manifest.ts";
import { listSegments, replaySegments } from "./segments.ts";
import { loadSnapshot, openSnapshot } from "./snapshot-reader.ts";
import { SNAPSHOT } from "./snapshot-writer.ts";
import type { IndexFacts, IndexReceiver, StoredIndex } from "./stored-index.ts";

export class OpenArchive implements StoredIndex {
  readonly facts: IndexFacts;
  readonly encrypted: boolean;
  /** When the backup was made. */
  readonly createdAt: Date;
  readonly #name: string;
  readonly #chain: ArchiveReader[];
  readonly #key: IndexKey | undefined;

  /** `chain`: from the full one to the one asked for. */
  constructor(name: string, chain: ArchiveReader[], key: IndexKey | undefined) {
    const { history, createdAt } = (chain.at(-1) as ArchiveReader).manifest;
    this.#name = name;
    this.#chain = chain;
    this.#key = key;
    this.facts = history.facts;
    this.encrypted = key !== undefined;
    this.createdAt = createdAt;
  }

  /** @throws VxError `backup_corrupt`, `capacity_exceeded` and the like from the receiver */
  async load(receiver: IndexReceiver): Promise<void> {
    return asBackupErrors(this.#name, async () => {
      let covered = 0;
      for (const { name, files, manifest } of this.#chain) {
        const file = await files.open(SNAPSHOT);
        if (file !== undefined) {
          const snapshot = await openSnapshot(file);
          checkHistory(name, snapshot.header, manifest);
          await loadSnapshot(snapshot, this.#key, receiver);
          covered = snapshot.header.sequence;
        }
        const { segments, others } = await listSegments(files, manifest.history, this.#key);
        if (others.length > 0) throw damaged(name, `${others[0]} is of another history`);
        const range = { key: this.#key, covered, last: manifest.last };
        await replaySegments(files, segments, range, (operations) => receiver.operations(operations));
        covered = manifest.last;
      }
    });
  }

  async close(): Promise<void> {
    for (const archive of this.#chain) await archive.close();
  }
}

function checkHistory(name: string, header: FileHeader, { history, last }: Manifest): void {
  const encrypted = header.key !== undefined;
  const fits = sameHistory(header, history) && header.sequence <= last;
  if (!fits || encrypted !== (history.key !== undefined))
    throw damaged(name, "its snapshot is of another history");
}
