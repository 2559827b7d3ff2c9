/**
 * The soak: `npx tsx tests/bench/soak.ts [transfers] [minutes]`. One node downloads many small files in a row from
 * another, then peers join, leave and corrupt for some minutes while it goes on downloading. Its resident memory is
 * sampled all the time and must stay flat: in each phase the median of the last quarter of samples is at most 15 %
 * above the median of the second quarter (the first is warm-up). Otherwise, or if a transfer fails, the exit is 1.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { baitedFile, sendBlock, serveBaited } from "../attacks/baited-file.ts";
import { HostileNode } from "../attacks/hostile-node.ts";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";

/** Live objects are 60 to 80 MiB. More room lets V8 put garbage off for minutes, which looks like a leak. */
process.env.SHOAL_NODE_FLAGS ??= "--max-old-space-size=160";

const MIB = 1024 * 1024;
const SAMPLE_EVERY_MS = 500;
const PRINT_EVERY_SAMPLES = 20;
const MOST_GROWTH = 1.15;
/** Time for a liar to be asked three times, with every processor busy. */
const LIAR_PATIENCE_MS = 60_000;

const transferCount = Number(process.argv[2] ?? 1000);
const churnMinutes = Number(process.argv[3] ?? 60);

/** Samples a node's memory until it is disposed, which it must be before its node ends. */
class MemoryWatch implements AsyncDisposable {
  readonly #node: ShoalProcess;
  readonly #stop = new AbortController();
  readonly #samplesMib: number[] = [];
  readonly #done: Promise<void>;

  constructor(node: ShoalProcess) {
    this.#node = node;
    this.#done = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const status = await readFile(`/proc/${this.#node.child.pid}/status`, "utf8");
      this.#samplesMib.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
      if (this.#samplesMib.length % PRINT_EVERY_SAMPLES === 0) {
        const seconds = (this.#samplesMib.length * SAMPLE_EVERY_MS) / 1000;
        console.log(`  ${String(seconds).padStart(5)} s  ${this.#samplesMib.at(-1)?.toFixed(0)} MiB`);
      }
      await pause(SAMPLE_EVERY_MS);
    }
  }

  /** Ends the phase; true when the memory stayed flat. */
  async finish(phase: string): Promise<boolean> {
    await this[Symbol.asyncDispose]();
    const quarter = Math.floor(this.#samplesMib.length / 4);
    const second = median(this.#samplesMib.slice(quarter, 2 * quarter));
    const last = median(this.#samplesMib.slice(-quarter));
    const isFlat = last <= second * MOST_GROWTH;
    const growth = `${((last / second - 1) * 100).toFixed(1)} %`;
    console.log(
      `${phase}: second quarter ${second.toFixed(0)} MiB, last quarter ${last.toFixed(0)} MiB, ` +
        `growth ${growth}, peak ${Math.max(...this.#samplesMib).toFixed(0)} MiB: ${isFlat ? "flat" : "NOT FLAT"}`,
    );
    return isFlat;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Shares random bytes at one node, brings them to the other, and deletes them at both. */
async function oneTransfer(seeder: ShoalProcess, leecher: ShoalProcess, index: number): Promise<void> {
  const bytes = new Uint8Array(randomBytes(1 + Math.floor(Math.random() * 2 * MIB)));
  const { file_id } = await seeder.client.upload(bytes, { name: `soak ${index}.bin` });
  const output = { output_path: "soak.bin", overwrite: true };
  const { transfer_id } = await leecher.client.download({ file_id, ...output });
  const end = await transferEnd(leecher, transfer_id);
  if (end.status !== "completed") {
    const peers = (await leecher.client.peers()).peers.map(({ id }) => id);
    const isThere = peers.includes((await seeder.client.nodeInfo()).node_id);
    throw new Error(
      `transfer ${index} ended as ${end.status}: ${end.error}; its seeder is ${isThere ? "" : "not "}connected`,
    );
  }
  await leecher.client.deleteFile(file_id);
  await seeder.client.deleteFile(file_id);
}

async function manyTransfers(seeder: ShoalProcess, leecher: ShoalProcess): Promise<boolean> {
  console.log(`${transferCount} transfers in a row`);
  await using memory = new MemoryWatch(leecher);
  const startMs = performance.now();
  for (let index = 0; index < transferCount; index++) await oneTransfer(seeder, leecher, index);
  const seconds = (performance.now() - startMs) / 1000;
  console.log(
    `  ${transferCount} in ${seconds.toFixed(0)} s, ${(transferCount / seconds).toFixed(1)} a second`,
  );
  return memory.finish("transfers");
}

/** A liar offers a file, is asked for it, is banned or not, and leaves in the middle. */
async function corruptOnce(victim: ShoalProcess): Promise<void> {
  const liar = await HostileNode.start();
  try {
    const file = await baitedFile("lie.bin", 3 * MIB);
    await liar.answer(serveBaited(file, (peer, id, chunk) => sendBlock(peer, id, chunk.subarray(1))));
    await liar.offer(file.announcement);
    await liar.connect(victim);
    const { transfer_id } = await victim.client.download({ file_id: file.announcement.fileId });
    await until("a liar is banned", () => !liar.isConnected, LIAR_PATIENCE_MS);
    await victim.client.cancel(transfer_id);
  } finally {
    await liar.stop();
  }
}

/** An honest process joins, gives a file, and leaves as a crash would. */
async function joinAndLeave(victim: ShoalProcess, index: number): Promise<void> {
  await using guests = new Shoals();
  const guest = await guests.start({ bootstrap: [victim] });
  await oneTransfer(guest, victim, index);
}

async function churn(seeder: ShoalProcess, victim: ShoalProcess): Promise<boolean> {
  console.log(`${churnMinutes} minutes of churn`);
  await using memory = new MemoryWatch(victim);
  const endMs = performance.now() + churnMinutes * 60_000;
  const counts = { guests: 0, liars: 0, transfers: 0 };
  const untilEnd = async (name: keyof typeof counts, act: (index: number) => Promise<void>) => {
    while (performance.now() < endMs) await act(counts[name]++);
  };
  await Promise.all([
    untilEnd("guests", (index) => joinAndLeave(victim, index)),
    untilEnd("liars", () => corruptOnce(victim)),
    // The victim gives as well as it takes.
    untilEnd("transfers", (index) => oneTransfer(victim, seeder, index)),
  ]);
  console.log(`  ${counts.guests} guests, ${counts.liars} liars, ${counts.transfers} transfers beside them`);
  return memory.finish("churn");
}

await using shoals = new Shoals();
const seeder = await shoals.start();
const main = await shoals.start({ bootstrap: [seeder] });
const flat = [await manyTransfers(seeder, main), await churn(seeder, main)];
process.exitCode = flat.every(Boolean) ? 0 : 1;
