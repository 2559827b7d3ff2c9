/**
 * Starts a thread that runs a program of this folder, of which the bundle has each beside the others, under its plain name.
 * Called by serving-thread and link-threads; calls thread-flags.
 */
import { Worker, type WorkerOptions } from "node:worker_threads";
import { threadFlags } from "./thread-flags.ts";

/** `options`: what it is called, and what it is given. */
export function startThread(
  program: "vx-worker" | "vx-linker",
  options: Pick<WorkerOptions, "name" | "workerData" | "transferList">,
): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? "./thread.source.mjs" : `./${program}.js`, import.meta.url);
  return new Worker(file, { ...options, argv: [program], execArgv: threadFlags() });
}
