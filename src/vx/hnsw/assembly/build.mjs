/**
 * Builds the vector kernel twice: for one thread, and for several on shared memory. Run by `npm ci` and the npm scripts that
 * need it.
 */
import { buildKernel } from "../../build-kernel.mjs";

await buildKernel(new URL("./", import.meta.url), {
  "kernel-wasm.ts": [],
  "shared-kernel-wasm.ts": ["--enable", "threads", "--sharedMemory", "--importMemory"],
});
