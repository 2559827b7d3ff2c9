/** When a peer is given the next page of what a node tells of its files. */
import { streamPair } from "@libp2p/utils";
import { expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";
import { PAGE_BURST } from "../../../src/network/limits.ts";
import { PageTurns } from "../../../src/network/page-turns.ts";
import { HandClock, settled } from "../hand-clock.ts";

const { signal } = new AbortController();

it("nothing waits for a stream that its peer has ended, however many it opens and ends", async () => {
  const clock = new HandClock();
  const turns = new PageTurns(clock);
  const [theirs, ours] = await streamPair();
  const untilTurn = turns.of("peer", ours);
  for (let pages = 0; pages < PAGE_BURST; pages++) await untilTurn(signal);
  const turn = untilTurn(signal).catch((error: unknown) => error);
  await settled();
  expect(clock.sleeperCount).toBe(1);
  theirs.abort(new Error("that is enough"));
  await settled();
  expect(clock.sleeperCount).toBe(0);
  expect(await turn).toMatchObject({ name: "peer_lost" });
});
