/** How long a dial lasts where somebody takes the connection and says nothing. */
import "../../src/headless/node20-shims.ts";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it, onTestFinished, vi } from "vitest";
import { DIAL_TIMEOUT_MS } from "../../src/network/limits.ts";
import { startBareNode } from "./bare-node.ts";

/** A node that dials there for as long as its caller wants, and how to let the time for a dial pass. */
async function dialling(signal: AbortSignal) {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const taken = once(silent, "connection");
  const node = await startBareNode();
  const limit = new AbortController();
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
    ms === DIAL_TIMEOUT_MS ? limit.signal : timeout.call(AbortSignal, ms),
  );
  const { port } = silent.address() as AddressInfo;
  const dial = node.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}`), { signal });
  await taken;
  return { dial, passTime: () => limit.abort(new Error("too late")) };
}

it("is as long as any other where its caller would wait for ever", async () => {
  const { dial, passTime } = await dialling(new AbortController().signal);
  passTime();
  await expect(dial).rejects.toThrow("too late");
});

it("is no longer than its caller waits", async () => {
  const caller = new AbortController();
  const { dial } = await dialling(caller.signal);
  caller.abort(new Error("not needed any more"));
  await expect(dial).rejects.toThrow("not needed any more");
});
