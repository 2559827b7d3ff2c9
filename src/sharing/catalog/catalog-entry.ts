/** A file that is here, whole or in part, with all that is known of it. Kept by the catalog. */
import { Demand } from "../files/demand.ts";
import type { Manifest } from "../files/manifest.ts";
import { CHUNK_BYTES } from "../limits.ts";
import type { Holding } from "./holding.ts";

/** As others see it. */
export interface LocalFile {
  id: string;
  name: string;
  sizeBytes: number;
  chunkCount: number;
  createdAt: Date;
  complete: boolean;
  /** Nobody is told of it; whoever asks for it by its id gets it. */
  isUnlisted: boolean;
}

/** As it is stored, under its id. */
export interface FileRecord {
  name: string;
  sizeBytes: number;
  createdAt: string;
  /** All of it was here once: what is missing now was lost. */
  wasComplete?: true;
  isUnlisted?: true;
}

export class CatalogEntry {
  readonly id: string;
  readonly manifest: Manifest;
  readonly holding: Holding;
  /** Who waits for chunks that are not here yet. */
  readonly demand = new Demand();
  readonly createdAt: Date;
  name: string;
  isUnlisted: boolean;
  /** What is missing was lost, not just not fetched yet. */
  wasComplete: boolean;
  /** Storage is being looked through for what it has lost of the file. */
  mayLackMore = false;

  constructor(id: string, manifest: Manifest, holding: Holding, record: FileRecord) {
    this.id = id;
    this.manifest = manifest;
    this.holding = holding;
    this.name = record.name;
    this.isUnlisted = record.isUnlisted === true;
    this.createdAt = new Date(record.createdAt);
    this.wasComplete = holding.isComplete || record.wasComplete === true;
  }

  view(): LocalFile {
    return {
      id: this.id,
      name: this.name,
      sizeBytes: this.manifest.sizeBytes,
      chunkCount: this.manifest.chunkCount,
      createdAt: this.createdAt,
      complete: this.holding.isComplete,
      isUnlisted: this.isUnlisted,
    };
  }

  record(): FileRecord {
    return {
      name: this.name,
      sizeBytes: this.manifest.sizeBytes,
      createdAt: this.createdAt.toISOString(),
      ...(this.wasComplete && { wasComplete: true }),
      ...(this.isUnlisted && { isUnlisted: true }),
    };
  }
}

/** An empty file is one empty chunk. */
export function chunkCountOf(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));
}
