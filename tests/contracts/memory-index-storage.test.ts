/** MemoryIndexStorage under the contract of index storages. */
import { MemoryMedium, openMemoryIndexStorage } from "../../src/vx/storage/memory-index-storage.ts";
import { indexStorageContract } from "./index-storage.ts";

indexStorageContract(async () => {
  const medium = new MemoryMedium();
  return () => openMemoryIndexStorage(medium);
});
