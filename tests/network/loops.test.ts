/** What becomes of a loop of the network that ends by itself. */
import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { EXPIRY_CHECK_MS } from "../../src/network/limits.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";
import { join } from "./swarm-of-nodes.ts";

it("a loop of the network that ends by itself is told of at once", async () => {
  const failure = new Error("no more time");
  const heard = new EventEmitter();
  const told = once(heard, "network loop ended");
  const sleep: typeof systemClock.sleep = (ms, signal) =>
    ms === EXPIRY_CHECK_MS ? Promise.reject(failure) : systemClock.sleep(ms, signal);
  await join({ clock: { ...systemClock, sleep }, log: (what, { error }) => heard.emit(what, error) });
  expect(await told).toEqual([failure]);
});
