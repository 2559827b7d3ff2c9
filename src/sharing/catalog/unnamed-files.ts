/**
 * A file that is fetched before anybody has told its name bears its id, until somebody does. Made by the node, which has it look
 * at each change of what others offer; transfers tell it of files without a name.
 */
import { forgetOldest } from "../forget-oldest.ts";
import { MAX_UNNAMED_FILES } from "../limits.ts";
import type { Log, Swarm } from "../ports.ts";
import type { TransferLedger } from "../transfers/transfer-ledger.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogEntry } from "./catalog-entry.ts";

export interface UnnamedFilesPorts {
  catalog: Catalog;
  ledger: TransferLedger;
  swarm: Swarm;
  log: Log;
  /** The file has got its name. */
  onNamed: (entry: CatalogEntry) => void;
}

export class UnnamedFiles {
  readonly #ports: UnnamedFilesPorts;
  /** Ids of files here, or on their way, that bear them as names. */
  readonly #fileIds = new Set<string>();

  constructor(ports: UnnamedFilesPorts) {
    this.#ports = ports;
    for (const { name, fileId } of ports.ledger.all()) if (name === fileId) this.#keep(fileId);
    for (const { name, id } of ports.catalog.entries()) if (name === id) this.#keep(id);
  }

  /** Its name may have been told since it was asked for. */
  add(fileId: string): void {
    this.#keep(fileId);
    this.#lookAt(fileId);
  }

  /** Gives files the names by which they are offered by now. */
  look(): void {
    for (const fileId of this.#fileIds) this.#lookAt(fileId);
  }

  #keep(fileId: string): void {
    this.#fileIds.add(fileId);
    forgetOldest(this.#fileIds, MAX_UNNAMED_FILES);
  }

  #lookAt(fileId: string): void {
    const name = this.#ports.swarm.offer(fileId)?.name;
    // Who has got it by its id as well knows no more.
    if (name === undefined || name === fileId) return;
    this.#fileIds.delete(fileId);
    this.#rename(fileId, name).catch((error: unknown) =>
      this.#ports.log.warn("the name of a file was not kept", { fileId, name, error }),
    );
  }

  async #rename(fileId: string, name: string): Promise<void> {
    const { catalog, ledger, onNamed } = this.#ports;
    for (const record of ledger.ofFile(fileId)) {
      if (record.name !== fileId) continue;
      record.name = name;
      await ledger.save(record);
    }
    const entry = catalog.find(fileId);
    if (entry === undefined) return;
    const isNamed = await catalog.change(entry, (now) => (now.name === fileId ? { name } : {}));
    if (isNamed) onNamed(entry);
  }
}
