/** Somebody who asks the nodes for this and that, without waiting until one thing is done. */
import { SharingError, type SharingErrorName } from "../../src/sharing/errors.ts";
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";
import type { Clock } from "../../src/sharing/ports.ts";
import type { SharingNode } from "../../src/sharing/sharing-node.ts";
import { isActive } from "../../src/sharing/transfers/transfer-record.ts";
import type { Wish } from "./expectations.ts";
import { bytesOf, type KnownFile, nameOf } from "./known-files.ts";
import type { Lots } from "./lots.ts";
import { DiskError } from "./machine.ts";
import type { SimulatedNode, World } from "./simulated-node.ts";
import { errorText, type Trace } from "./trace.ts";

/** With what each may be refused, beside a bad disk. */
const REFUSALS: Record<Wish | "read", SharingErrorName[]> = {
  share: ["storage_full", "stopped"],
  download: ["output_exists", "storage_full", "wrong_state"],
  pause: ["transfer_not_found", "wrong_state"],
  cancel: ["transfer_not_found", "wrong_state", "storage_full"],
  resume: ["transfer_not_found", "wrong_state", "output_exists", "storage_full"],
  delete: ["file_not_found", "wrong_state", "storage_full"],
  read: ["file_not_found", "stopped", "storage_full", "output_exists", "wrong_state"],
};

export class User {
  readonly #clock: Clock;
  readonly #lots: Lots;
  readonly #trace: Trace;
  readonly #files: readonly KnownFile[];
  /** What it waits for, by node. */
  readonly #waiting = new Map<SimulatedNode, Set<string>>();
  #count = 0;

  constructor({ clock, lots, trace }: World, files: readonly KnownFile[]) {
    this.#clock = clock;
    this.#lots = lots.fork();
    this.#trace = trace;
    this.#files = files;
  }

  /** What it still waits for of processes that are there. */
  waitingFor(): string[] {
    const there = [...this.#waiting].filter(([{ node }]) => node !== undefined);
    return there.flatMap(([{ id }, wishes]) => [...wishes].map((wish) => `${id}: ${wish}`));
  }

  /** The process is gone, and with it whoever waited. */
  gone(at: SimulatedNode): void {
    this.#waiting.delete(at);
  }

  /** Asks for something at one of the nodes that run. */
  act(nodes: readonly SimulatedNode[]): void {
    const at = this.#lots.oneOf(nodes.filter(({ node }) => node !== undefined));
    const file = this.#lots.oneOf(this.#files);
    if (at?.node === undefined || file === undefined) return;
    const { node } = at;
    const deeds = [
      { weight: 1, act: () => this.share(at, file) },
      { weight: 8, act: () => this.#download(at, file) },
      { weight: 4, act: () => this.#toTransfer(at, "pause", (id) => node.pause(id)) },
      { weight: 2, act: () => this.#toTransfer(at, "cancel", (id) => node.cancel(id)) },
      { weight: 4, act: () => this.resume(at, file.id) },
      { weight: 2, act: () => this.delete(at, file.id) },
      { weight: 5, act: () => this.#readPart(at, file) },
    ];
    this.#lots.weighed(deeds)?.act();
  }

  share(at: SimulatedNode, { id, name, bytes }: KnownFile): void {
    this.#wish(at, "share", id, (node) => node.share(bytesOf(bytes), { name }));
  }

  resume(at: SimulatedNode, fileId: string): void {
    this.#wish(at, "resume", fileId, (node) => node.resume(fileId));
  }

  cancel(at: SimulatedNode, fileId: string, transferId: string): void {
    this.#wish(at, "cancel", fileId, (node) => node.cancel(transferId), transferId);
  }

  delete(at: SimulatedNode, fileId: string): void {
    this.#wish(at, "delete", fileId, (node) => node.deleteFile(fileId));
  }

  /** Settles with whether all of the span came, right. */
  async read(
    at: SimulatedNode,
    file: KnownFile,
    start: number,
    end: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    return await this.#ask(at, "read", `${file.name} ${start} to ${end}`, signal, async (node) => {
      let offset = start;
      for await (const piece of node.read(file.id, { start, end }, signal)) {
        const right = file.bytes.subarray(offset, offset + piece.length);
        if (Buffer.compare(piece, right) !== 0) this.#trace.broken(at.id, `wrong bytes of ${file.name}`);
        offset += piece.length;
      }
      if (offset !== end) this.#trace.broken(at.id, `bytes up to ${offset} of ${file.name}, for ${end}`);
    });
  }

  #download(at: SimulatedNode, file: KnownFile): void {
    const place = this.#lots.oneOf([undefined, undefined, `${file.name}.1`, `${file.name}.2`]);
    const strategy = this.#lots.oneOf(["rarest_first", "rarest_first", "sequential", "round_robin"] as const);
    const maxPeers = this.#lots.oneOf([1, 2, 5]);
    this.#wish(at, "download", file.id, (node) =>
      node.download({
        fileId: file.id,
        ...(place !== undefined && { outputPath: place, overwrite: this.#lots.chance(0.5) }),
        ...(strategy !== undefined && { strategy }),
        ...(maxPeers !== undefined && { maxPeers }),
      }),
    );
  }

  #toTransfer(at: SimulatedNode, wish: "pause" | "cancel", act: (transferId: string) => Promise<void>): void {
    const active = at.node?.transfers().filter(({ status }) => isActive(status)) ?? [];
    const transfer = this.#lots.oneOf(active);
    if (transfer !== undefined) this.#wish(at, wish, transfer.fileId, () => act(transfer.id), transfer.id);
  }

  #readPart(at: SimulatedNode, file: KnownFile): void {
    const start = this.#lots.between(0, file.bytes.length);
    const end = Math.min(file.bytes.length, start + this.#lots.between(0, 3 * CHUNK_BYTES));
    const leaving = new AbortController();
    void this.read(at, file, start, end, leaving.signal);
    if (this.#lots.chance(0.7)) return;
    const leave = () => leaving.abort(new SharingError("stopped", "the reader leaves"));
    void this.#clock.sleep(this.#lots.between(0, 5000)).then(leave);
  }

  #wish(
    at: SimulatedNode,
    wish: Wish,
    fileId: string,
    act: (node: SharingNode) => Promise<unknown>,
    transferId?: string,
  ): void {
    const expectation = at.expectations.begin(fileId, wish);
    const asked = this.#ask(at, wish, `${nameOf(fileId)} ${transferId ?? ""}`, undefined, act);
    void asked.then((isDone) => (isDone ? expectation.done(transferId) : expectation.refused()));
  }

  /** Settles with whether it was done. */
  async #ask(
    at: SimulatedNode,
    wish: Wish | "read",
    what: string,
    signal: AbortSignal | undefined,
    act: (node: SharingNode) => Promise<unknown>,
  ): Promise<boolean> {
    const { node } = at;
    if (node === undefined) return false;
    this.#count += 1;
    const name = `${wish} ${what} (${this.#count})`;
    this.#trace.say(at.id, `asked: ${name}`);
    const waiting = this.#waiting.get(at) ?? new Set();
    this.#waiting.set(at, waiting.add(name));
    try {
      await act(node);
      this.#trace.say(at.id, `done: ${name}`);
      return true;
    } catch (error) {
      this.#trace.say(at.id, `refused: ${name}: ${errorText(error)}`);
      const isForeseen =
        signal?.aborted === true ||
        error instanceof DiskError ||
        (error instanceof SharingError && REFUSALS[wish].includes(error.name));
      // Of one that stops, whatever it was at ends.
      if (!isForeseen && at.node === node) this.#trace.broken(at.id, `${name}: ${errorText(error)}`);
      return false;
    } finally {
      waiting.delete(name);
    }
  }
}
