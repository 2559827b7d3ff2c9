/** Vx in a page: its engine in a worker, on each medium that a browser has. */
import { pageVxHost } from "../../../src/browser/index/vx-thread.ts";
import { type EngineThread, RemoteEngine } from "../../../src/vx/engine/remote-engine.ts";
import { vxContract, vxStorageContract } from "./vx-contract.ts";

const newPath = async () => `library/${crypto.randomUUID()}`;

vxContract("its engine in a page's worker, on OPFS", {
  host: { startEngine: (settings) => pageVxHost().startEngine(settings) },
  newPath,
});

vxStorageContract("its engine in a page's worker, on IndexedDB", {
  host: { startEngine: (settings) => RemoteEngine.open(idbThread(), settings) },
  newPath,
});

function idbThread(): EngineThread {
  const worker = new Worker(new URL("../../browser/vx-idb.worker.ts", import.meta.url), { type: "module" });
  let settle: (reason: undefined) => void = () => {};
  const ended = new Promise<undefined>((resolve) => {
    settle = resolve;
  });
  const end = async () => {
    worker.terminate();
    settle(undefined);
  };
  return { port: worker, ended, setBusy() {}, end };
}
