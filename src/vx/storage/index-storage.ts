/**
 * The port to the medium that an index is stored on. Used by this folder, and by the engine, which has it from its host;
 * implemented by FsIndexStorage (headless), MemoryIndexStorage, and the browser's media. All implementations pass
 * tests/contracts/index-storage.ts.
 *
 * Names are flat: a folder has files, no folders. Full media are VxError `storage_full`.
 */

/** Files of one folder, by name. */
export interface Folder {
  /** Names of the files that are complete, in no order. */
  list(): Promise<string[]>;
  /** Undefined if there is no such file. */
  open(name: string): Promise<StoredFile | undefined>;
  /** A file to come, invisible until committed; it then takes the place of one of that name. */
  create(name: string): Promise<NewFile>;
  /**
   * In the order given: where one stays, so do those behind it. No error if there is no such file. Durable with the
   * next name that is.
   */
  delete(...names: string[]): Promise<void>;
}

/** A folder of archives. */
export interface DatedFolder extends Folder {
  /** Undefined if there is no such file. */
  describe(name: string): Promise<FileFacts | undefined>;
  /** Removes what was being written when its thread or process ended. */
  removePartials(): Promise<void>;
}

export interface FileFacts {
  sizeBytes: number;
  /** When its last byte was written. */
  writtenAt: Date;
}

/** A file to read. What is appended to it after it was opened may be seen or not. */
export interface StoredFile {
  readonly sizeBytes: number;
  /** Fills `into` from the offset on. The caller asks for what is there: a file that ends before is an error. */
  read(offset: number, into: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface NewFile {
  /** Appends. The bytes belong to the caller again when it settles. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the file durable and visible, all of it at once. */
  commit(): Promise<void>;
  /** Removes what was written. No error after a commit. */
  discard(): Promise<void>;
}

/** A file that grows at its end. A failed append may leave a part of its bytes. */
export interface AppendFile {
  append(bytes: Uint8Array): Promise<void>;
  /** All that was appended is durable, and so is the file's name. */
  sync(): Promise<void>;
  /** Cuts the file back to its first bytes, durably: what a failed append or sync left is gone. */
  truncate(sizeBytes: number): Promise<void>;
  close(): Promise<void>;
}

/** An index's own folder, held by one opener at a time: a second is refused with VxError `conflict`. */
export interface IndexStorage extends Folder {
  /** Makes a file, visible at once and empty. @throws VxError `conflict` if it exists */
  startAppending(name: string): Promise<AppendFile>;
  /** All that a file holds is durable, and so is its name, whoever wrote it. No error if there is no such file. */
  sync(name: string): Promise<void>;
  /** Lets go of the folder. */
  close(): Promise<void>;
}

/** Where an archive stands: its folder, made at the latest for its first file, and its name in that. */
export interface ArchivePlace {
  folder: DatedFolder;
  name: string;
  /** The path, resolved: what restore takes, whatever the working directory. */
  path: string;
}

/** Finds the place that a user's path names. @throws VxError `invalid_request` */
export type LocateArchive = (path: string) => Promise<ArchivePlace>;
