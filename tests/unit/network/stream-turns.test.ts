/** When a peer that asks much has its next answer. */
import { streamPair } from "@libp2p/utils";
import { expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";
import { StreamTurns } from "../../../src/network/stream-turns.ts";
import { HandClock, settled } from "../hand-clock.ts";

const { signal } = new AbortController();

it("nothing waits for a stream that its peer has ended, however many it opens and ends", async () => {
  const clock = new HandClock();
  const turns = new StreamTurns(clock, { burst: 2, perSecond: 1 });
  const [theirs, ours] = await streamPair();
  const untilTurn = turns.of("peer", ours);
  for (let answers = 0; answers < 2; answers++) await untilTurn(signal);
  const turn = untilTurn(signal).catch((error: unknown) => error);
  await settled();
  expect(clock.sleeperCount).toBe(1);
  theirs.abort(new Error("that is enough"));
  await settled();
  expect(clock.sleeperCount).toBe(0);
  expect(await turn).toMatchObject({ name: "peer_lost" });
});
