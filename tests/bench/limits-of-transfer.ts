/**
 * The limits that a transfer is measured against, each between two processes on loopback, started by transfer.ts:
 * `tcp-send FILE`, `tcp-get PORT OUT` (a raw durable copy), `stream-serve STACK BYTES KIB`,
 * `stream-get STACK ADDRESS BYTES TIMES` (bare libp2p streams, one after the other, memory to memory; STACK is `ours`,
 * our own transport, or `stock`, libp2p's as it comes). Each prints one line of JSON.
 */
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream/promises";
import "../../src/headless/node20-shims.ts";
import { type StreamStack, streamStacks } from "./stream-stacks.ts";

const [mode, first = "", second = "", third = "", fourth = ""] = process.argv.slice(2);
if (mode === "tcp-send") await tcpSend(first);
else if (mode === "tcp-get") await tcpGet(Number(first), second);
else if (mode === "stream-serve") await streamServe(await stack(first), Number(second), Number(third) * 1024);
else if (mode === "stream-get") await streamGet(await stack(first), second, Number(third), Number(fourth));
else throw new Error(`unknown mode ${mode}`);

function report(result: object): void {
  console.log(JSON.stringify(result));
}

async function tcpSend(file: string): Promise<void> {
  const server = createServer(
    (socket) => void pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), socket),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  report({ port: (server.address() as { port: number }).port });
  process.stdin.resume().on("end", () => process.exit());
}

async function tcpGet(port: number, out: string): Promise<void> {
  const start = performance.now();
  const file = await open(out, "w");
  await pipeline(
    connect(port, "127.0.0.1"),
    file.createWriteStream({ autoClose: false, highWaterMark: 1 << 22 }),
  );
  await file.datasync();
  report([{ seconds: (performance.now() - start) / 1000, bytes: (await file.stat()).size }]);
  process.exit();
}

function stack(name: string): Promise<StreamStack> {
  return (streamStacks[name] as () => Promise<StreamStack>)();
}

async function streamServe(node: StreamStack, totalBytes: number, sendBytes: number): Promise<void> {
  const piece = new Uint8Array(sendBytes).fill(7);
  const address = await node.serve((stream) => {
    let sentBytes = 0;
    const send = () => {
      while (sentBytes < totalBytes && !stream.writableNeedsDrain) {
        stream.send(piece);
        sentBytes += piece.length;
      }
      if (sentBytes >= totalBytes) void stream.close();
    };
    stream.addEventListener("drain", send);
    send();
  });
  report({ address });
  process.stdin.resume().on("end", () => process.exit());
}

async function streamGet(
  node: StreamStack,
  address: string,
  totalBytes: number,
  times: number,
): Promise<void> {
  const open = await node.dial(address, AbortSignal.timeout(120_000));
  const got: object[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    let bytes = 0;
    for await (const piece of await open()) {
      bytes += piece.byteLength;
      if (bytes >= totalBytes) break;
    }
    got.push({ seconds: (performance.now() - start) / 1000, bytes });
  }
  report(got);
  process.exit();
}
