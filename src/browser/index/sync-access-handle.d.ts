/**
 * What only a dedicated worker has: TypeScript's `DOM` library leaves it out, and its `WebWorker` library can't stand
 * beside `DOM`. For the files here that a worker hosts. Source: WHATWG File System Standard, 2.7.
 */
interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
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
