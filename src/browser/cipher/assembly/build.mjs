/** Builds the cipher's kernel. Run by `npm ci` and the npm scripts that need it. */
import { buildKernel } from "../../../vx/build-kernel.mjs";

await buildKernel(new URL("./", import.meta.url), { "kernel-wasm.ts": ["--initialMemory", "3"] });
