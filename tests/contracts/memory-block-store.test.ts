/** MemoryBlockStore under the contract of block stores. */
import { MemoryBlockStore } from "../../src/sharing/memory/memory-block-store.ts";
import { blockStoreContract } from "./block-store.ts";

blockStoreContract(async (options) => new MemoryBlockStore(options));
