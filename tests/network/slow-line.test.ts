/** What a peer on a slow line says of a stream late, since the line is full of blocks. */
import type { StreamMuxer } from "@libp2p/interface";
import { expect, it, onTestFinished, vi } from "vitest";
import { PING_PATIENCE_MS } from "../../src/network/limits.ts";
import { untilTrue } from "../eventually.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { openNode } from "./open-node.ts";

const NEGOTIATION = "\x13/multistream/1.0.0\n\x11/ipfs/ping/1.0.0\n";
/** Of a stream, where it is given none. */
const LIBP2P_MS = 10_000;
const PING = "p".repeat(32);

/** Whatever is given a time limit from here on has it at the call of the function that this gives. */
function holdTimeLimits() {
  const held: { ms: number; end: AbortController }[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const end = new AbortController();
    held.push({ ms, end });
    return end.signal;
  });
  const pass = (passedMs: number) => {
    for (const { ms, end } of held)
      if (ms <= passedMs) end.abort(new DOMException("in vain", "TimeoutError"));
  };
  return { held, pass };
}

it("is waited for as long as for the answer to a ping, which ends the connection where it is broken off", async () => {
  const answering = await openNode();
  onTestFinished(() => answering.stop());
  const asking = await startBareNode();
  await dial(asking, answering);
  const [connection] = asking.getConnections() as unknown as [{ muxer: StreamMuxer }];
  const { held, pass } = holdTimeLimits();
  const stream = await connection.muxer.createStream();
  let heard = "";
  stream.addEventListener("message", ({ data }) => {
    heard += Buffer.from(data.subarray()).toString("latin1");
  });
  const isTaken = () => held.some(({ ms }) => ms === LIBP2P_MS || ms === PING_PATIENCE_MS);
  await untilTrue(isTaken);
  pass(PING_PATIENCE_MS - 1);
  stream.send(Buffer.from(NEGOTIATION + PING, "latin1"));
  await untilTrue(() => heard.length === NEGOTIATION.length + PING.length || stream.status !== "open");
  expect(heard).toBe(NEGOTIATION + PING);
});
