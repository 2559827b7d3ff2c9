/**
 * A child process that serves one port, for what takes much memory now and then, which goes back to the system as soon as it
 * ends: ONNX Runtime's code and model, some 300 MB, and what strangers' documents make of themselves. Called by open-embedder and
 * open-search.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ServingThread } from "../../search/serving-thread.ts";
import { processEndpoint } from "./process-endpoint.ts";

/**
 * The bundle has the child's program beside it, under its plain name. It ends by itself when this process does. `heapMib`: beyond
 * it the child is lost, about which V8 would write a page to the log each time.
 */
export function startServingProcess(
  entry: "embed-process" | "texts-process",
  heapMib?: number,
): ServingThread {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? "./process.source.mjs" : `./${entry}.js`, import.meta.url);
  const isBounded = heapMib !== undefined;
  const child = fork(fileURLToPath(file), [entry], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", isBounded ? "ignore" : "inherit", "ipc"],
    execArgv: isBounded ? [`--max-old-space-size=${heapMib}`] : [],
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
