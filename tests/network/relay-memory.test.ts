/** What a relay keeps of what passes through it: src/network/relay/circuit-end. */
import "../../src/headless/node20-shims.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Stream } from "@libp2p/interface";
import { expect, it } from "vitest";
import { deferred } from "../deferred.ts";
import { until } from "../interop/until.ts";
import { startBareNode } from "./bare-node.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const PROTOCOL = "/test/1";
const MIB = 1024 * 1024;
const SENT_BYTES = 24 * MIB;

/** Bytes in buffers that somebody holds. */
function heldBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

async function send(stream: Stream, sizeBytes: number): Promise<void> {
  for (let sent = 0; sent < sizeBytes; sent += MIB / 16) {
    if (!stream.send(new Uint8Array(MIB / 16))) await stream.onDrain();
  }
}

it("keeps nothing of what has passed through a circuit, while the circuit lasts", async () => {
  const relay = await startBareNode(["/ip4/127.0.0.1/tcp/0"], true);
  const [address] = relay.getMultiaddrs();
  const [taker, sender] = await Promise.all([startBareNode([`${address}/p2p-circuit`]), startBareNode()]);
  await until("there is a place at the relay", async () => taker.getMultiaddrs().length > 0);
  const all = deferred<void>();
  let takenBytes = 0;
  await taker.handle(
    PROTOCOL,
    (stream) => {
      stream.addEventListener("message", ({ data }) => {
        takenBytes += data.byteLength;
        if (takenBytes === SENT_BYTES) all.resolve();
      });
    },
    { runOnLimitedConnection: true },
  );
  const connection = await sender.dial(taker.getMultiaddrs());
  const stream = await connection.newStream(PROTOCOL, { runOnLimitedConnection: true });
  const before = heldBytes();
  await send(stream, SENT_BYTES);
  await all.promise;
  await expect.poll(() => heldBytes() - before).toBeLessThan(SENT_BYTES / 2);
});
