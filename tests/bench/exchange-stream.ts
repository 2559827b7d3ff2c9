/**
 * What the exchange costs: blocks from memory through it against the same bytes through a bare libp2p stream, on
 * one loopback TCP pair (noise, yamux), in one run. `npx tsx tests/bench/exchange-stream.ts [MiB] [rounds]`.
 */
import {
  connect,
  type LoopbackNode,
  MIB,
  makeBlocks,
  sourceOf,
  startNode,
  wanted,
} from "../unit/exchange/loopback.ts";

const BARE_PROTOCOL = "/bare/1.0.0";
const BLOCK_COUNT = 16;
const totalBytes = Number(process.argv[2] ?? 512) * MIB;
const rounds = Number(process.argv[3] ?? 4);

const server = await startNode();
const asker = await startNode();
await connect(asker, server);
const blocks = await makeBlocks(BLOCK_COUNT, MIB);
server.exchange.serve(sourceOf(blocks));

/** MB a second by the clock, and MB a second of processor time: the steadier one on a busy machine. */
interface Speed {
  wall: number;
  processor: number;
}
const results: Record<"bare64" | "bare255" | "exchange", Speed[]> = { bare64: [], bare255: [], exchange: [] };
await server.libp2p.handle(BARE_PROTOCOL, (stream) => {
  let sentBytes = 0;
  let sendBytes = 0;
  const send = () => {
    while (sentBytes < totalBytes && !stream.writableNeedsDrain) {
      const start = sentBytes % MIB;
      const block = blocks[Math.floor(sentBytes / MIB) % BLOCK_COUNT] as (typeof blocks)[number];
      const piece = block.bytes.subarray(start, start + sendBytes);
      stream.send(piece);
      sentBytes += piece.length;
    }
    if (sentBytes >= totalBytes) void stream.close();
  };
  stream.addEventListener("message", (event) => {
    sendBytes = (event.data instanceof Uint8Array ? (event.data[0] as number) : event.data.get(0)) * 1024;
    stream.addEventListener("drain", send);
    send();
  });
});

for (let round = 0; round < rounds; round += 1) {
  results.bare64.push(await timed(() => bare(64)));
  results.exchange.push(await timed(throughExchange));
  results.bare255.push(await timed(() => bare(255)));
}
for (const [name, speeds] of Object.entries(results)) {
  const list = speeds.map(
    ({ wall, processor }) => `${wall.toFixed(0).padStart(5)} (${processor.toFixed(0)})`,
  );
  console.log(`${name.padEnd(9)}${list.join("")}  MB/s (MB per processor second)`);
}
for (const unit of ["wall", "processor"] as const) {
  const ratio = median(results.exchange, unit) / median(results.bare64, unit);
  console.log(`exchange / bare64 by ${unit} time, medians: ${ratio.toFixed(2)}`);
}
await Promise.all([server, asker].map((node: LoopbackNode) => node.stop()));

async function timed(run: () => Promise<void>): Promise<Speed> {
  const startedAtMs = performance.now();
  const startedAtUsage = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(startedAtUsage);
  return {
    wall: totalBytes / 1000 / (performance.now() - startedAtMs),
    processor: totalBytes / (user + system),
  };
}

async function bare(sendKib: number): Promise<void> {
  const stream = await asker.libp2p.dialProtocol(server.libp2p.peerId, BARE_PROTOCOL);
  let receivedBytes = 0;
  await new Promise<void>((resolve) => {
    stream.addEventListener("message", (event) => {
      receivedBytes += event.data.byteLength;
      if (receivedBytes >= totalBytes) resolve();
    });
    stream.send(Uint8Array.of(sendKib));
  });
  await stream.close();
}

async function throughExchange(): Promise<void> {
  const session = await asker.exchange.openSession(server.peerId, new AbortController().signal);
  let left = totalBytes / MIB;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const block = blocks[left % BLOCK_COUNT] as (typeof blocks)[number];
      const bytes = await session.fetch(wanted(block));
      if (bytes.length !== MIB) throw new Error("short block");
    }
  };
  await Promise.all(Array.from({ length: session.maxInFlight }, worker));
  session.close();
}

function median(speeds: Speed[], unit: keyof Speed): number {
  const values = speeds.map((speed) => speed[unit]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] as number;
}
