/** The library's contract, with its engine in the caller's thread. */
import { inlineHost, MemoryDisk } from "./memory-disk.ts";
import { vxContract } from "./vx-contract.ts";

let paths = 0;

vxContract("its engine inline", {
  host: inlineHost(new MemoryDisk()),
  newPath: async () => `disk/${paths++}`,
});
