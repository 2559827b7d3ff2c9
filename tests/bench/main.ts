/** `npm run bench NAME -- [options]`: runs the benchmark of that name, a file of this folder. */
import { argv, exit } from "node:process";

const benchmarks: Record<string, () => Promise<unknown>> = {
  transfer: () => import("./transfer.ts"),
  // By address: they are compiled with the types of browsers, this file with those of Node.js.
  browser: () => import(new URL("./browser.ts", import.meta.url).href),
  "browser-memory": () => import(new URL("./browser-memory.ts", import.meta.url).href),
  exchange: () => import("./exchange-stream.ts"),
  vectors: () => import("./vectors.ts"),
  search: () => import("./search.ts"),
  reduction: () => import("./reduction.ts"),
  simulation: () => import("./simulation.ts"),
};

const [name = "", ...options] = argv.slice(2);
const run = benchmarks[name];
if (run === undefined) {
  console.error(`npm run bench NAME, one of: ${Object.keys(benchmarks).join(", ")}`);
  exit(2);
}
argv.splice(2, Number.POSITIVE_INFINITY, ...options);
await run();
