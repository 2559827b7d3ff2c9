/**
 * What the index's routes ask of their host: an open index, and the folder that its backups stay in. Filled in by
 * the two mains; the index is a Vx.
 */
import type { ListedArchive } from "../../vx/storage/listed-archives.ts";
import type { Vx } from "../../vx/vx.ts";

export interface VxPorts {
  index: VxIndex;
  backups: BackupFolder;
  /** True while what is stored is loaded: requests are then refused. Absent: they wait. */
  isLoading?(): boolean;
}

export type VxIndex = Pick<
  Vx,
  | "add"
  | "appendFromArrow"
  | "backup"
  | "batchAdd"
  | "collectMetrics"
  | "delete"
  | "facetedSearch"
  | "get"
  | "healthCheck"
  | "list"
  | "multiVectorSearch"
  | "queryMetadata"
  | "reduceVectors"
  | "refit"
  | "restore"
  | "search"
  | "searchWithFilter"
  | "searchWithNegatives"
>;

/** The one folder in which backups are made, found, sent and received over HTTP. */
export interface BackupFolder {
  /**
   * Where a new archive of that path may stand; relative paths begin in the folder.
   * @throws SharingError `path_forbidden`, `bad_request`, VxError `invalid_request`
   */
  placeFor(path: string): Promise<string>;
  /**
   * The real path of an archive in the folder.
   * @throws SharingError `path_forbidden` (whatever is there), `bad_request`, VxError `backup_not_found`
   */
  find(path: string): Promise<string>;
  /** Archives that stand in the folder itself, in any order. */
  list(): Promise<ListedBackup[]>;
  /** @throws VxError `backup_not_found` */
  open(name: string): Promise<BackupFile & { read(signal: AbortSignal): AsyncIterable<Uint8Array> }>;
  /**
   * Keeps an archive, all of it or nothing.
   * @throws VxError `conflict` (a file of that name), `backup_corrupt` (it is no backup), `storage_full`
   */
  store(name: string, bytes: AsyncIterable<Uint8Array>): Promise<KeptBackup>;
  /**
   * @throws VxError `backup_not_found`, `conflict` (another archive goes on from it), `unavailable` (that cannot be
   * read just now)
   */
  delete(name: string): Promise<void>;
}

export interface BackupFile {
  name: string;
  /** What `find` takes. */
  path: string;
  sizeBytes: number;
  writtenAt: Date;
}

/** One that was sent, whose file is younger than itself. */
export type KeptBackup = BackupFile & { madeAt: Date };

/** One of the folder's files, by what it says of itself. */
export type ListedBackup = BackupFile & ListedArchive;
