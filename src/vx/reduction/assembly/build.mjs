/** Builds the kernel of dimensionality reduction. Run by `npm ci` and the npm scripts that need it. */
import { buildKernel } from "../../build-kernel.mjs";

await buildKernel(new URL("./", import.meta.url), { "kernel-wasm.ts": [] });
