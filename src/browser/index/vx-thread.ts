/**
 * The worker of an index, in which its engine runs and folders of archives are served. Made by open-page-index, by open-search
 * for the vectors of files; starts workers/vx.ts when it is needed, and anew when it has ended, until it is over.
 */
import * as Comlink from "comlink";
import { ThreadCalls } from "../../sharing/thread-calls.ts";
import { type EngineThread, RemoteEngine } from "../../vx/engine/remote-engine.ts";
import type { Answer } from "../../vx/engine/serve-engine.ts";
import { fromErrorData, VxError } from "../../vx/errors.ts";
import type { VxHost } from "../../vx/vx.ts";
import type { ArchiveService, CallArchives } from "./archive-service.ts";

/** What workers/vx.ts exposes. */
export interface VxWorker {
  /** Serves an engine over the port, as serveEngine does. */
  serveEngine(port: MessagePort): void;
  serveArchives(port: MessagePort, folder: string): void;
}

/** An engine in a worker of its own, on the browser's storage. */
export function pageVxHost(thread = new VxThread()): VxHost {
  return { startEngine: (settings) => RemoteEngine.open(thread.startEngine(), settings) };
}

interface Running {
  service: Comlink.Remote<VxWorker>;
  /** By folder. */
  archives: Map<string, Comlink.Remote<ArchiveService>>;
  /** Of the archives; the engine keeps its own. */
  calls: ThreadCalls;
  /** Settles when the worker has ended, with the reason if it did so by itself. */
  ended: Promise<Error | undefined>;
  end(): void;
}

export class VxThread {
  isOver = false;
  #running: Running | undefined;

  /** Ends the worker for good. */
  end(): void {
    this.isOver = true;
    this.#running?.end();
  }

  startEngine(): EngineThread {
    const running = this.#start();
    const { port1, port2 } = new MessageChannel();
    void running.service.serveEngine(Comlink.transfer(port2, [port2]));
    const end = async () => {
      running.end();
      port1.close();
    };
    return { port: port1, ended: running.ended, setBusy() {}, end };
  }

  /** Calls what serves the archives of a folder. */
  archivesIn(folder: string): CallArchives {
    return async (method, ...args) => {
      const running = this.#start();
      const archives = running.archives.get(folder) ?? connectArchives(running, folder);
      const call = archives[method] as unknown as (...args: unknown[]) => Promise<Answer<never>>;
      const answer = await running.calls.run(() => call(...args));
      if ("error" in answer) throw fromErrorData(answer.error);
      return answer.value;
    };
  }

  #start(): Running {
    if (this.#running !== undefined) return this.#running;
    if (this.isOver) throw hasEnded();
    const worker = new Worker(new URL("../../../workers/vx.ts", import.meta.url), {
      type: "module",
      name: "vx",
    });
    let settle: (reason: Error | undefined) => void = () => {};
    const ended = new Promise<Error | undefined>((resolve) => {
      settle = resolve;
    });
    const stop = (reason?: Error) => {
      worker.terminate();
      if (this.#running !== running) return;
      this.#running = undefined;
      running.calls.end(hasEnded());
      // Comlink would keep the worker for as long as what calls it, which the worker's listeners lead to.
      for (const remote of [service, ...running.archives.values()]) remote[Comlink.releaseProxy]();
      settle(reason);
    };
    worker.addEventListener("error", ({ message }) => {
      stop(new Error(message || "its script could not be loaded"));
    });
    const service = Comlink.wrap<VxWorker>(worker);
    const calls = new ThreadCalls();
    const running: Running = { service, archives: new Map(), calls, ended, end: () => stop() };
    this.#running = running;
    return running;
  }
}

function connectArchives({ service, archives }: Running, folder: string): Comlink.Remote<ArchiveService> {
  const { port1, port2 } = new MessageChannel();
  void service.serveArchives(Comlink.transfer(port2, [port2]), folder);
  const connected = Comlink.wrap<ArchiveService>(port1);
  archives.set(folder, connected);
  return connected;
}

function hasEnded(): VxError {
  return new VxError("unavailable", "The index's worker has ended");
}
