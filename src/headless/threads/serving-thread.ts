/**
 * A thread for an index, which serves one port. Called by vx-host; starts vx-worker. Node.js ports are event targets, so Comlink
 * needs no adapter.
 */
import { MessageChannel } from "node:worker_threads";
import type { Endpoint } from "comlink";
import type { EngineThread } from "../../vx/engine/remote-engine.ts";
import { startThread } from "./start-thread.ts";

export function startServingThread(): EngineThread {
  const { port1: port, port2 } = new MessageChannel();
  const worker = startThread("vx-worker", { name: "vx", workerData: port2, transferList: [port2] });
  let crash: Error | undefined;
  worker.on("error", (error) => {
    crash = error;
  });
  const ended = new Promise<Error | undefined>((resolve) => {
    worker.once("exit", () => {
      port.close();
      resolve(crash);
    });
  });
  const setBusy = (isBusy: boolean) => {
    for (const held of [worker, port]) isBusy ? held.ref() : held.unref();
  };
  const end = async () => {
    await worker.terminate();
    await ended;
  };
  return { port: port as unknown as Endpoint, ended, setBusy, end };
}
