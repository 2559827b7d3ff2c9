/**
 * Real `shoal` processes on loopback for interop tests, attacks and benchmarks: starts the built command with a
 * data folder of its own and gives its client. Nothing but loopback is listened on or contacted.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ShoalClient } from "../../src/client/client.ts";

/** SHOAL_COMMAND names another build to try, SHOAL_NODE_FLAGS what Node.js is given (`--cpu-prof`). */
export const COMMAND = process.env.SHOAL_COMMAND ?? join(import.meta.dirname, "../../dist/headless/shoal.js");

export interface ShoalOptions {
  /** The file that is run in place of the one that was built here. */
  command?: string;
  /** A folder of an earlier process, to start it again. */
  folder?: string;
  flags?: string[];
  /** What Node.js is given, before SHOAL_NODE_FLAGS. */
  nodeFlags?: string[];
  bootstrap?: ShoalProcess[];
}

/** A folder holds `data`, `shared` (the share root) and `downloads` (the download root). */
export class ShoalProcess {
  readonly folder: string;
  readonly url: string;
  /** Where it serves the page; empty without `--web-port`. */
  readonly pageUrl: string;
  readonly apiKey: string;
  readonly client: ShoalClient;
  readonly child: ChildProcess;
  /** What it logged, for failing tests to show. */
  readonly log: string[];
  /** Nobody has ended it yet. */
  #isWanted = true;

  constructor(
    folder: string,
    running: { url: string; key: string; pageUrl: string },
    child: ChildProcess,
    log: string[],
  ) {
    this.folder = folder;
    this.url = running.url;
    this.pageUrl = running.pageUrl;
    this.apiKey = running.key;
    this.client = new ShoalClient(running.url, { apiKey: running.key });
    this.child = child;
    this.log = log;
    child.once("exit", (code, signal) => {
      if (this.#isWanted)
        process.stderr.write(`shoal ended by itself (${signal ?? code}):\n${log.slice(-20).join("\n")}\n`);
    });
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Peak of resident memory so far, in bytes. */
  async peakMemoryBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.child.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.#isWanted = false;
    const exited = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exited;
  }

  /** Ends it cleanly; gives its exit code. */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.child.exitCode;
    this.#isWanted = false;
    const exited = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await exited;
    return this.child.exitCode;
  }
}

/** Starts processes and, when disposed, ends all of them and removes their folders. */
export class Shoals implements AsyncDisposable {
  readonly #processes: ShoalProcess[] = [];
  readonly #folders = new Set<string>();

  async start(options: ShoalOptions = {}): Promise<ShoalProcess> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "shoal-test-")));
    this.#folders.add(folder);
    for (const name of ["data", "shared", "downloads"]) await mkdir(join(folder, name), { recursive: true });
    const addresses: string[] = [];
    for (const other of options.bootstrap ?? []) {
      addresses.push(
        ...(await other.client.nodeInfo()).addresses.filter((address) => address.includes("/tcp/")),
      );
    }
    const args = [
      ...["start", "--enable-api", "--api-port", "0", "--no-mdns", "--rate-limit", "0"],
      ...["--data-dir", join(folder, "data"), "--share-root", join(folder, "shared")],
      ...["--download-root", join(folder, "downloads"), "--listen", "/ip4/127.0.0.1/tcp/0"],
      ...addresses.flatMap((address) => ["--bootstrap", address]),
      ...(options.flags ?? []),
    ];
    const nodeFlags = [...(options.nodeFlags ?? []), ...(process.env.SHOAL_NODE_FLAGS?.split(" ") ?? [])];
    const child = spawn(process.execPath, [...nodeFlags, options.command ?? COMMAND, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      // The model takes memory and time that few tests are about; those ask for it with --search.
      env: { ...process.env, SHOAL_SEARCH: "off" },
    });
    const log: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => void (log.length < 1000 && log.push(line)));
    const printed = await readiness(child, log);
    const running = JSON.parse(await readFile(join(folder, "data", "running.json"), "utf8"));
    const pageUrl = /^page\s+(\S+)$/m.exec(printed.join("\n"))?.[1] ?? "";
    const started = new ShoalProcess(folder, { ...running, pageUrl }, child, log);
    this.#processes.push(started);
    return started;
  }

  /** @throws Error where one has let a promise be rejected of which nobody heard, which its log alone tells */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const started of this.#processes) await started.kill();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
    const unheard = this.#processes.flatMap(({ log }) =>
      log.filter((line) => line.includes("nobody waited for")),
    );
    if (unheard.length > 0) throw new Error(unheard.join("\n"));
  }
}

/** Settles once the process printed where everything is, of which its data folder comes last; gives the lines. */
async function readiness(child: ChildProcess, log: string[]): Promise<string[]> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const printed: string[] = [];
  for await (const line of lines) {
    printed.push(line);
    if (line.startsWith("data ")) break;
  }
  if (!printed.at(-1)?.startsWith("data ")) {
    throw new Error(`shoal ended before it was ready:\n${log.join("\n")}`);
  }
  // What it prints later must not fill the pipe.
  lines.on("line", () => {});
  child.stdout?.resume();
  return printed;
}

/** Settles when the transfer has ended; gives its details. */
export async function transferEnd(node: Pick<ShoalProcess, "client">, transferId: string) {
  const stop = new AbortController();
  try {
    for await (const event of node.client.events({ signal: stop.signal, lastEventId: "0" })) {
      const data = event.data as { transfer_id?: string };
      const isEnd = ["transfer_complete", "transfer_failed", "transfer_cancelled"].includes(event.event);
      if (isEnd && data.transfer_id === transferId) return await node.client.transfer(transferId);
    }
    throw new Error("the event stream ended before the transfer");
  } finally {
    stop.abort();
  }
}
