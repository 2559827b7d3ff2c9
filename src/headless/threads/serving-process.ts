/**
 * A child process that serves one port, for what takes much memory now and then: ONNX Runtime's code and model, some 300 MB,
 * are not the node's own, and go back to the system as soon as it ends. Called by open-embedder.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { processEndpoint } from "./process-endpoint.ts";
import type { ServingThread } from "./serving-thread.ts";

/** The bundle has the child's program beside it, under its plain name. It ends by itself when this process does. */
export function startServingProcess(entry: "embed-process"): ServingThread {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? `./${entry}.source.mjs` : `./${entry}.js`, import.meta.url);
  const child = fork(fileURLToPath(file), {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  });
  const ended = new Promise<Error | undefined>((resolve) => {
    child.on("error", resolve);
    child.once("exit", (code, signal) => {
      resolve(code === 0 || signal === "SIGKILL" ? undefined : new Error(`it ended with ${signal ?? code}`));
    });
  });
  const setBusy = (isBusy: boolean) => {
    for (const held of [child, child.channel]) isBusy ? held?.ref() : held?.unref();
  };
  const end = async () => {
    // Who waits for the end must live to see it.
    setBusy(true);
    child.kill("SIGKILL");
    await ended;
  };
  return { port: processEndpoint(child), ended, setBusy, end };
}
