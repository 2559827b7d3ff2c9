/** What comes under a download limit comes evenly, though chunks are asked for whole. */
import { expect, it } from "vitest";
import { LONGEST_PAUSE_MS, MAX_DATA_BYTES, SLOW_SEND_MS, STALL_MS } from "../../../src/exchange/limits.ts";
import { Pacing } from "../../../src/exchange/rates/pacing.ts";
import { HandClock } from "../hand-clock.ts";
import { startCrowd } from "./crowd.ts";
import { KIB, MIB, makeBlocks, sourceOf, wanted } from "./loopback.ts";

it.each([1, 3])("100 KiB a second are as many in any three seconds, from %d at once", async (peerCount) => {
  const clock = new HandClock();
  const blocks = await makeBlocks(6, MIB);
  const askersRates = { maxDownloadBytesPerSecond: 100 * KIB };
  const { askers, ask } = startCrowd(clock, sourceOf(blocks), { askersRates });
  const sessions = await Promise.all(Array.from({ length: peerCount }, () => ask()));
  for (const [nth, block] of blocks.entries())
    sessions[nth % peerCount]?.fetch(wanted(block)).catch((error) => expect(error.name).toBe("stopped"));
  await clock.pass(5_000);
  const speeds: number[] = [];
  for (let nth = 0; nth < 12; nth++) {
    const before = askers.traffic().downloadedBytes;
    await clock.pass(3_000);
    speeds.push((askers.traffic().downloadedBytes - before) / 3 / KIB);
  }
  expect(Math.min(...speeds)).toBeGreaterThan(75);
  expect(Math.max(...speeds)).toBeLessThan(125);
});

it("a limit that is set while many bring something calls none of them stalled", async () => {
  const clock = new HandClock();
  const blocks = await makeBlocks(20, MIB);
  const { askers, ask } = startCrowd(clock, sourceOf(blocks));
  const failed: unknown[] = [];
  for (const block of blocks) {
    const session = await ask(MIB);
    session.fetch(wanted(block)).catch((error) => failed.push(error));
  }
  await clock.pass(500);
  askers.setRates({ maxDownloadBytesPerSecond: 32 * KIB });
  await clock.pass(2 * STALL_MS);
  expect(failed).toEqual([]);
});

/** A wire that says whether it is paused. */
function wireOf(clock: HandClock, bytesPerSecond: number) {
  const pacing = new Pacing(bytesPerSecond, clock);
  const wire = {
    isPaused: false,
    pause: () => {
      wire.isPaused = true;
    },
    resume: () => {
      wire.isPaused = false;
    },
  };
  return { pacing, wire };
}

it("another rate, or the end, holds for what is paused at once", async () => {
  for (const change of [(pacing: Pacing) => pacing.setRate(Infinity), (pacing: Pacing) => pacing.stop()]) {
    const clock = new HandClock();
    const { pacing, wire } = wireOf(clock, MIB);
    pacing.brought(10 * MIB, wire);
    await clock.pass(LONGEST_PAUSE_MS - 1);
    expect(wire.isPaused).toBe(true);
    change(pacing);
    await clock.pass(0);
    expect(wire.isPaused).toBe(false);
    pacing.brought(10 * MIB, wire);
    expect(wire.isPaused).toBe(false);
  }
});

it("nobody is held back for so long that it would take this node for one that reads nothing", async () => {
  const clock = new HandClock();
  const { pacing, wire } = wireOf(clock, 1);
  pacing.brought(MAX_DATA_BYTES, wire);
  expect(wire.isPaused).toBe(true);
  await clock.pass(SLOW_SEND_MS);
  expect(wire.isPaused).toBe(false);
});
