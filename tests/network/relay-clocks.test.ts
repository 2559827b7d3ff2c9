/** Relays by whose clock it is another time, and a clock that is set back while a place at one is held. */
import "../../src/headless/node20-shims.ts";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it, onTestFinished, vi } from "vitest";
import { RELAY_RESERVATION_TTL_MS } from "../../src/network/relay/limits.ts";
import { until } from "../interop/until.ts";
import { startBareNode } from "./bare-node.ts";
import { type LyingRelay, lyingRelay } from "./lying-relay.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** In this test timers of more than a minute wait; what this gives runs those that are due before a place at a relay is lost. */
function holdLongTimers(): () => void {
  const held = new Map<unknown, () => void>();
  const { setTimeout, clearTimeout } = globalThis;
  const start = (run: () => void, ms = 0, ...rest: []) => {
    const timer = setTimeout(run, ms, ...rest);
    if (ms > MINUTE_MS && ms < RELAY_RESERVATION_TTL_MS) held.set(timer, run);
    return timer;
  };
  vi.spyOn(globalThis, "setTimeout").mockImplementation(start as typeof setTimeout);
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    held.delete(timer);
    clearTimeout(timer);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return () => {
    for (const [timer, run] of held) {
      clearTimeout(timer as NodeJS.Timeout);
      run();
    }
  };
}

async function takePlaceAt(relay: LyingRelay): Promise<void> {
  const node = await startBareNode();
  await node.dial(relay.at.map((address) => multiaddr(address)));
  await until("it can be reached through the relay", () => node.getMultiaddrs().length > 0);
  expect(relay.askedCount).toBe(1);
}

it.each([
  ["a day behind", -DAY_MS],
  ["a day ahead", DAY_MS],
])("a place at a relay whose clock is %s is taken, and kept", async (_which, aheadMs) => {
  const passTime = holdLongTimers();
  const relay = await lyingRelay({ aheadMs });
  await takePlaceAt(relay);
  passTime();
  await until("it was asked again", () => relay.askedCount === 2);
});

it("a place at a relay is kept after the own clock was set back by a day", async () => {
  const passTime = holdLongTimers();
  const relay = await lyingRelay({});
  await takePlaceAt(relay);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - DAY_MS });
  passTime();
  await until("it was asked again", () => relay.askedCount === 2);
});
