/** Vx in a page: its engine in a worker, on each medium that a browser has. */
import { pageVxHost, VxThread } from "../../../src/browser/open-vx.ts";
import { vxContract } from "./vx-contract.ts";

vxContract("its engine in a page's worker, on OPFS", {
  host: { startEngine: (settings) => pageVxHost(new VxThread()).startEngine(settings) },
  newPath: async () => `library/${crypto.randomUUID()}`,
});
