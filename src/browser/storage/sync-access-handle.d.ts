/**
 * What TypeScript's `DOM` library leaves out of files of the origin private file system: the sync handles, which only a
 * dedicated worker has, for its `WebWorker` library can't stand beside `DOM`; and `move`, which all engines have and
 * the standard's text not yet. For the files here that a worker hosts. Source: WHATWG File System Standard, 2.7;
 * https://github.com/whatwg/fs/pull/10
 */
interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
  /** Replaces what stands there. */
  move(name: string): Promise<void>;
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
}

interface FileSystemSyncAccessHandle {
  /** Bytes read. */
  read(buffer: AllowSharedBufferSource, options?: { at?: number }): number;
  /** Bytes written. */
  write(buffer: AllowSharedBufferSource, options?: { at?: number }): number;
  truncate(newSize: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}
