/**
 * What a Chromium costs, as the kernel counts it: memory and processor time of all its processes, by what they are. Used
 * by the benchmarks of the page; reads /proc.
 */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** Clock ticks of /proc a second, on every Linux that runs Node.js. */
const TICKS_PER_SECOND = 100;

export interface BrowserProcess {
  pid: number;
  /** `browser`, `renderer`, `gpu-process`, or the name of a utility's service. */
  kind: string;
  /** Memory of its own, as Chromium's task manager counts it: anonymous pages, in use or swapped out. */
  ownBytes: number;
  /** Shared memory that it has mapped, whole for each that maps it: pipes between processes, bodies on their way. */
  sharedBytes: number;
  cpuSeconds: number;
}

/** The processes of the browser whose command line has this text; `profile` of a folder of its own names it. */
export async function browserProcesses(mark: string): Promise<BrowserProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const seen = await Promise.all(pids.map(readProcess));
  const all = new Map(seen.flatMap((process) => (process === undefined ? [] : [[process.pid, process]])));
  const isOurs = ({ parent, command }: Seen): boolean => {
    if (command.includes(mark) && command.includes("chromium")) return true;
    const above = all.get(parent);
    return above !== undefined && isOurs(above);
  };
  return [...all.values()].filter(isOurs);
}

interface Seen extends BrowserProcess {
  parent: number;
  command: string;
}

async function readProcess(pid: number): Promise<Seen | undefined> {
  try {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8");
    const [command, stat, status] = await Promise.all([read("cmdline"), read("stat"), read("status")]);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const bytesOf = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024;
    return {
      pid,
      parent: Number(fields[1]),
      command: command.replaceAll("\0", " "),
      kind: kindOf(command),
      ownBytes: bytesOf("RssAnon") + bytesOf("VmSwap"),
      sharedBytes: bytesOf("RssShmem"),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    };
  } catch (error) {
    // It ended while it was looked at.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function kindOf(command: string): string {
  const type = /--type=([\w-]+)/.exec(command)?.[1] ?? "browser";
  return /--utility-sub-type=([\w.]+)/.exec(command)?.[1] ?? type;
}

/** Most memory seen so far, of each kind of process and of all together. */
export class MemoryPeaks {
  readonly peakBytes = new Map<string, number>();
  readonly #mark: string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(mark: string, everyMs = 500) {
    this.#mark = mark;
    this.#done = this.#watch(everyMs);
  }

  async #watch(everyMs: number): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const now = await memoryByKind(this.#mark);
      for (const [kind, bytes] of now)
        this.peakBytes.set(kind, Math.max(bytes, this.peakBytes.get(kind) ?? 0));
      await pause(everyMs);
    }
  }

  /** @throws what the reading failed with */
  async stop(): Promise<Map<string, number>> {
    this.#stop.abort();
    await this.#done;
    return this.peakBytes;
  }
}

/** Keeps the trace that is asked for beside it, of long tasks: what is measured with, and not what is measured. */
const OF_THE_MEASUREMENT = "tracing.mojom.TracingService";

/** Bytes of its own of each kind of process, and `all`. */
export async function memoryByKind(mark: string): Promise<Map<string, number>> {
  const bytes = new Map<string, number>([["all", 0]]);
  for (const { kind, ownBytes } of await browserProcesses(mark)) {
    if (kind === OF_THE_MEASUREMENT) continue;
    bytes.set(kind, (bytes.get(kind) ?? 0) + ownBytes);
    bytes.set("all", (bytes.get("all") ?? 0) + ownBytes);
  }
  return bytes;
}
