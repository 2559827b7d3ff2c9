/** How long peers stay banned: src/network/connecting/banned-peers. */
import { describe, expect, it } from "vitest";
import { BannedPeers } from "../../../src/network/connecting/banned-peers.ts";
import { MAX_BANS } from "../../../src/network/connecting/limits.ts";
import { HandClock } from "../hand-clock.ts";

const HOUR_MS = 3_600_000;

describe("bans", () => {
  it("end when their time is over", async () => {
    const clock = new HandClock();
    const banned = new BannedPeers(clock);
    banned.add("p", 1_000);
    expect(banned.has("p")).toBe(true);
    await clock.pass(1_000);
    expect(banned.has("p")).toBe(false);
  });

  it.each([HOUR_MS, -24 * HOUR_MS])("last as long when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const banned = new BannedPeers(clock);
    banned.add("p", 1_000);
    clock.set(byMs);
    expect(banned.has("p")).toBe(true);
    await clock.pass(1_000);
    expect(banned.has("p")).toBe(false);
  });

  it("beyond the cap push out the one that ends first", () => {
    const clock = new HandClock();
    const banned = new BannedPeers(clock);
    banned.add("long", HOUR_MS);
    for (let i = 1; i <= MAX_BANS; i++) banned.add(`peer ${i}`, 1_000 + i);
    expect(banned.has("peer 1")).toBe(false);
    expect(["long", "peer 2", `peer ${MAX_BANS}`].filter((peerId) => !banned.has(peerId))).toEqual([]);
  });
});
