/** What must hold once nothing befalls anybody any more: what can be had comes, and is what it should be. */
import type { CID } from "multiformats/cid";
import type { LocalFile } from "../../src/sharing/catalog/catalog-entry.ts";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { DAG_PB } from "../../src/sharing/hash.ts";
import {
  isActive,
  isRunning,
  type TransferDetail,
  type TransferStatus,
} from "../../src/sharing/transfers/transfer-record.ts";
import type { KnownFile } from "./known-files.ts";
import type { Machine } from "./machine.ts";
import type { SimulatedNode, World } from "./simulated-node.ts";
import type { User } from "./user.ts";

/** In which what can be had comes, over the slowest line and after the longest wait for a peer that had failed. */
const PATIENCE_MS = 10 * 60_000;

/** In which processes start and stop, and answer what takes no transfer. */
const ANSWER_MS = 10_000;

export class Quiet {
  readonly #world: World;
  readonly #user: User;
  readonly #nodes: readonly SimulatedNode[];
  readonly #files: readonly KnownFile[];
  /** Since when each file can be had, to the second. */
  readonly #reachableSinceMs = new Map<KnownFile, number>();

  constructor(world: World, user: User, nodes: readonly SimulatedNode[], files: readonly KnownFile[]) {
    this.#world = world;
    this.#user = user;
    this.#nodes = nodes;
    this.#files = files;
  }

  /** Gives how long it took until all had come. */
  async run(): Promise<number> {
    const { clock, trace } = this.#world;
    trace.say("quiet", "all is mended");
    await clock.pass(ANSWER_MS);
    for (const node of this.#nodes) if (!node.isUp) void node.start();
    await clock.pass(ANSWER_MS);
    for (const { id, node } of this.#nodes) if (node === undefined) trace.broken(id, "does not start");
    for (const at of this.#honest) this.#wishForAll(at);
    const startMs = clock.monotonic();
    while (!this.#hasAll() && clock.monotonic() - startMs < PATIENCE_MS) await clock.pass(1000);
    const tookMs = clock.monotonic() - startMs;
    await this.#checkAll();
    return tookMs;
  }

  get #honest(): SimulatedNode[] {
    return this.#nodes.filter(({ isLiar }) => !isLiar);
  }

  /** Whatever was begun goes on, and what was here is read. */
  #wishForAll(at: SimulatedNode): void {
    for (const file of this.#files) {
      const unfinished = this.#transfersOf(at, file).filter(({ status }) => status !== "completed");
      const stopped = unfinished.filter(({ status }) => status === "interrupted");
      if (stopped.every(goesOnByItself) && unfinished.some(goesOnByItself)) continue;
      for (const _ of stopped.length > 0 ? stopped : unfinished.slice(0, 1)) this.#user.resume(at, file.id);
      if (at.expectations.isHere(file.id) && unfinished.length === 0)
        void this.#user.read(at, file, 0, file.bytes.length, new AbortController().signal);
    }
  }

  #transfersOf({ node }: SimulatedNode, { id }: KnownFile): TransferDetail[] {
    return node?.transfers().filter(({ fileId }) => fileId === id) ?? [];
  }

  #hasAll(): boolean {
    this.#lookWhatCanBeHad();
    return this.#late().next().done === true && this.#unanswered.length === 0;
  }

  /** What should have come and has not, or goes on though nobody has it. */
  *#late(): Generator<string> {
    for (const at of this.#honest) {
      for (const file of this.#files) {
        const sinceMs = this.#reachableSinceMs.get(file);
        const isReachable = sinceMs !== undefined;
        for (const transfer of this.#transfersOf(at, file)) {
          const { id, status, isPaused, outputPath, error } = transfer;
          const isInTheWay = outputPath !== undefined && at.machine.outputs.has(outputPath);
          if (isPaused || (status === "interrupted" && isInTheWay)) continue;
          const isLate = isReachable
            ? isActive(status) || this.#hasFailedSince(transfer, sinceMs)
            : this.#isInVain(status);
          const had = isReachable ? "can be had" : "can't be had";
          if (isLate) yield `${at.id}: ${file.name} ${had}, and transfer ${id} is ${status}: ${error}`;
        }
      }
    }
  }

  /** Whoever reads waits as long as a download does. */
  get #unanswered(): string[] {
    const { liars } = this.#world;
    return this.#user.waitingFor().filter((wish) => liars.size === 0 || !wish.includes(": read "));
  }

  /** Who says that it has all, and gives nothing, is waited for. */
  #isInVain(status: TransferStatus): boolean {
    return isRunning(status) && this.#world.liars.size === 0;
  }

  /** Before it could be had, it had to. */
  #hasFailedSince({ status, endedAt }: TransferDetail, sinceMs: number): boolean {
    return status === "failed" && (endedAt?.getTime() ?? 0) > sinceMs;
  }

  /** A slow peer may bring a file to somebody long after the last who had it has deleted it. */
  #lookWhatCanBeHad(): void {
    for (const file of this.#files) {
      if (!this.#isReachable(file)) this.#reachableSinceMs.delete(file);
      else if (!this.#reachableSinceMs.has(file)) this.#reachableSinceMs.set(file, this.#world.clock.now());
    }
  }

  /** Has some honest node each of its blocks, sound, and knows that these are its? */
  #isReachable(file: KnownFile): boolean {
    const holders = this.#honest.filter(
      (at) => this.#viewOf(at, file) !== undefined && knowsBlocks(at, file),
    );
    return file.blocks.every(({ cid }) =>
      holders.some(
        (at) => at.machine.isSound(cid) && (this.#viewOf(at, file)?.complete || !this.#isShared(cid)),
      ),
    );
  }

  #viewOf({ node }: SimulatedNode, { id }: KnownFile): LocalFile | undefined {
    return node?.files().find((file) => file.id === id);
  }

  /** Where it came for another file, it is known to be of this one after the next start alone. */
  #isShared(cid: CID): boolean {
    return this.#files.filter(({ blocks }) => blocks.some((block) => block.cid.equals(cid))).length > 1;
  }

  async #checkAll(): Promise<void> {
    const { trace } = this.#world;
    for (const late of this.#late()) trace.broken("quiet", late);
    for (const wish of this.#unanswered) trace.broken("quiet", `nobody answers: ${wish}`);
    for (const { id, node, machine, expectations } of this.#honest) {
      if (node === undefined) continue;
      for (const broken of expectations.unmet(node, machine)) trace.broken(id, broken);
      for (const file of node.files()) {
        const known = this.#files.find((it) => it.id === file.id);
        if (known !== undefined && file.complete) await this.#checkWhole(id, machine, known);
      }
    }
  }

  /** A file that counts as whole is, and so is what was written of it. */
  async #checkWhole(id: string, machine: Machine, file: KnownFile): Promise<void> {
    const { trace } = this.#world;
    for (const { cid, bytes } of file.blocks) {
      if (machine.harmed.has(cid.toString())) continue;
      const stored = machine.blocks.has(cid) && (await collectBytes(machine.blocks.get(cid)));
      if (!stored || Buffer.compare(stored, bytes) !== 0) trace.broken(id, `${file.name} lacks ${cid}`);
    }
    for (const [path, bytes] of machine.outputs)
      if (path.startsWith(`${file.name}.`) && Buffer.compare(bytes, file.bytes) !== 0)
        trace.broken(id, `the output ${path} is not what it should be`);
  }
}

/** It runs, or waits for a provider. */
function goesOnByItself({ status, error }: TransferDetail): boolean {
  return isRunning(status) || (status === "interrupted" && error === "no provider is left");
}

function knowsBlocks({ machine }: SimulatedNode, { blocks }: KnownFile): boolean {
  return blocks.every(({ cid }) => cid.code !== DAG_PB || machine.isSound(cid));
}
