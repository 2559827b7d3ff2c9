/**
 * The vector index of this origin: its engine in a worker, and the folder of its backups. Called by start-node; starts
 * workers/vx.ts. The worker starts with the first request that needs it, or at once where an index is stored already.
 */
import * as Comlink from "comlink";
import type { VxPorts } from "../../api/vx/ports.ts";
import { ThreadCalls } from "../../sharing/thread-calls.ts";
import type { Config } from "../../vx/config.ts";
import { type EngineThread, RemoteEngine } from "../../vx/engine/remote-engine.ts";
import type { Answer } from "../../vx/engine/serve-engine.ts";
import { fromErrorData, VxError } from "../../vx/errors.ts";
import { telling } from "../../vx/failure-log.ts";
import { Vx, type VxHost } from "../../vx/vx.ts";
import { openPageLog } from "../page-log.ts";
import type { ArchiveService } from "./archive-service.ts";
import { isIndexStored } from "./index-presence.ts";
import { type CallArchives, PageBackupFolder } from "./page-backup-folder.ts";

/** Hidden from `file_path` and its like, for its name begins with a dot. */
const INDEX_FOLDER = ".shoal/index";
const BACKUP_FOLDER = `${INDEX_FOLDER}/backups`;

/** What workers/vx.ts exposes. */
export interface VxWorker {
  /** Serves an engine over the port, as serveEngine does. */
  serveEngine(port: MessagePort): void;
  serveArchives(port: MessagePort, folder: string): void;
}

export interface PageIndex extends VxPorts {
  /** Lets go of the index, so that another tab may open it. */
  close(): Promise<void>;
  /** The same at once: what is under way fails, what was acknowledged is durable. */
  end(): void;
}

/**
 * Opens the index, or leaves it for the first request where none is stored yet. What goes wrong is told to whoever asks for
 * something, and whoever asks next has it tried again: a tab that hosted the node before may still hold it.
 * @throws VxError `invalid_request` (settings)
 */
export async function openPageIndex(config: Config = {}): Promise<PageIndex> {
  const thread = new VxThread();
  const isStored = await isIndexStored(INDEX_FOLDER);
  const places = { storagePath: INDEX_FOLDER, backupPath: BACKUP_FOLDER };
  const host = telling(pageVxHost(thread), openPageLog("index"));
  const index = new Vx({ ...config, ...places }, host, { onDemand: true, reopen: true, passesTexts: true });
  // What it throws is told to whoever calls a method.
  if (isStored) index.ready().catch(() => undefined);
  const call: CallArchives = (method, ...args) => thread.callArchives(method, args);
  return {
    index,
    backups: new PageBackupFolder(BACKUP_FOLDER, call),
    async close() {
      if (!thread.isOver) await index.close();
      thread.end();
    },
    end: () => thread.end(),
  };
}

/** An engine in a worker of its own, on the browser's storage. */
export function pageVxHost(thread = new VxThread()): VxHost {
  return { startEngine: (settings) => RemoteEngine.open(thread.startEngine(), settings) };
}

interface Running {
  service: Comlink.Remote<VxWorker>;
  archives?: Comlink.Remote<ArchiveService>;
  /** Of the archives; the engine keeps its own. */
  calls: ThreadCalls;
  /** Settles when the worker has ended, with the reason if it did so by itself. */
  ended: Promise<Error | undefined>;
  end(): void;
}

/** An index's worker: started when it is needed, and anew when it has ended, until it is over. */
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

  async callArchives<M extends keyof ArchiveService>(method: M, args: Parameters<ArchiveService[M]>) {
    const running = this.#start();
    running.archives ??= this.#connectArchives(running);
    const call = running.archives[method] as unknown as (...args: unknown[]) => Promise<Answer<never>>;
    const answer = await running.calls.run(() => call(...args));
    if ("error" in answer) throw fromErrorData(answer.error);
    return answer.value;
  }

  #connectArchives({ service }: Running): Comlink.Remote<ArchiveService> {
    const { port1, port2 } = new MessageChannel();
    void service.serveArchives(Comlink.transfer(port2, [port2]), BACKUP_FOLDER);
    return Comlink.wrap<ArchiveService>(port1);
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
      for (const remote of [service, running.archives]) remote?.[Comlink.releaseProxy]();
      settle(reason);
    };
    worker.addEventListener("error", ({ message }) => {
      stop(new Error(message || "its script could not be loaded"));
    });
    const service = Comlink.wrap<VxWorker>(worker);
    const running: Running = { service, calls: new ThreadCalls(), ended, end: () => stop() };
    this.#running = running;
    return running;
  }
}

function hasEnded(): VxError {
  return new VxError("unavailable", "The index's worker has ended");
}
