/**
 * The limits that a transfer is measured against, each between two processes on loopback, started by transfer.ts:
 * `tcp-send FILE`, `tcp-get PORT OUT` (a raw durable copy), `stream-serve BYTES KIB`, `stream-get ADDRESS BYTES TIMES` (bare
 * libp2p streams over our own transport, one after the other, memory to memory). Each prints one line of JSON.
 */
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream/promises";
import "../../src/headless/node20-shims.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { multiaddr } from "@multiformats/multiaddr";
import { nativeTls } from "../../src/headless/native-tls.ts";
import { headlessTransports } from "../../src/headless/transports.ts";
import { openNetwork } from "../../src/network/network.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";

const PROTOCOL = "/shoal/bench/1.0.0";

const [mode, first = "", second = "", third = ""] = process.argv.slice(2);
if (mode === "tcp-send") await tcpSend(first);
else if (mode === "tcp-get") await tcpGet(Number(first), second);
else if (mode === "stream-serve") await streamServe(Number(first), Number(second) * 1024);
else if (mode === "stream-get") await streamGet(first, Number(second), Number(third));
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

async function network() {
  return openNetwork({
    privateKey: await generateKeyPair("Ed25519"),
    transports: headlessTransports({ iceServers: [] }),
    encrypters: [nativeTls()],
    listen: ["/ip4/127.0.0.1/tcp/0"],
    bootstrap: [],
    swarmName: "bench",
    relayServer: false,
    dhtMode: "client",
    clock: systemClock,
    agentVersion: "bench",
  });
}

async function streamServe(totalBytes: number, sendBytes: number): Promise<void> {
  const node = await network();
  const piece = new Uint8Array(sendBytes).fill(7);
  await node.handle(PROTOCOL, (stream) => {
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
  report({ address: node.swarm.addresses()[0] });
  process.stdin.resume().on("end", () => process.exit());
}

async function streamGet(address: string, totalBytes: number, times: number): Promise<void> {
  const node = await network();
  const signal = AbortSignal.timeout(120_000);
  await node.swarm.connect(address, signal);
  const peerId = multiaddr(address)
    .getComponents()
    .find((part) => part.name === "p2p")?.value;
  const got: object[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    const stream = await node.openStream(peerId as string, PROTOCOL, signal);
    let bytes = 0;
    for await (const piece of stream) {
      bytes += piece.byteLength;
      if (bytes >= totalBytes) break;
    }
    got.push({ seconds: (performance.now() - start) / 1000, bytes });
  }
  report(got);
  process.exit();
}
