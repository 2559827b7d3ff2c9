/** When a peer that asks much has its next answer. */
import type { Connection } from "@libp2p/interface";
import { streamPair } from "@libp2p/utils";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";
import { ANSWER_BURST } from "../../../src/network/limits.ts";
import { StreamTurns } from "../../../src/network/stream-turns.ts";
import { HandClock, settled } from "../hand-clock.ts";

const { signal } = new AbortController();

const fromHost = (host: string, peerId: string) =>
  ({ remotePeer: peerId, remoteAddr: multiaddr(`/ip4/${host}/tcp/1`) }) as unknown as Connection;

it("nothing waits for a stream that its peer has ended, however many it opens and ends", async () => {
  const clock = new HandClock();
  const turns = new StreamTurns(clock, { burst: 2, perSecond: 1 });
  const [theirs, ours] = await streamPair();
  const untilTurn = turns.of(fromHost("10.0.0.1", "peer"), ours);
  for (let answers = 0; answers < 2; answers++) await untilTurn(signal);
  const turn = untilTurn(signal).catch((error: unknown) => error);
  await settled();
  expect(clock.sleeperCount).toBe(1);
  theirs.abort(new Error("that is enough"));
  await settled();
  expect(clock.sleeperCount).toBe(0);
  expect(await turn).toMatchObject({ name: "peer_lost" });
});

it("a host that comes under ever new ids waits for its turn, and one that comes later has its own", async () => {
  const clock = new HandClock();
  const turns = new StreamTurns(clock, { burst: 2, perSecond: 1 });
  const [, stream] = await streamPair();
  const ask = (host: string, id: number) => turns.of(fromHost(host, `peer ${id}`), stream)(signal);
  for (let id = 0; id < ANSWER_BURST; id++) await ask("10.0.0.1", id);
  const answered: string[] = [];
  for (const [nth, host] of ["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2"].entries())
    void ask(host, ANSWER_BURST + nth).then(() => answered.push(host));
  await settled();
  expect(answered).toEqual([]);
  await clock.pass(1_000);
  expect(answered).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.1"]);
});

it("who shares a host with a busy one has its turn before that one's second", async () => {
  const clock = new HandClock();
  const turns = new StreamTurns(clock, { burst: 2 * ANSWER_BURST, perSecond: 1 });
  const [, stream] = await streamPair();
  const ask = (id: string) => turns.of(fromHost("10.0.0.1", id), stream)(signal);
  for (let answers = 0; answers < ANSWER_BURST; answers++) await ask("busy");
  const answered: string[] = [];
  for (const id of ["busy", "busy", "neighbour"]) void ask(id).then(() => answered.push(id));
  await clock.pass(1_000);
  expect(answered).toEqual(["busy", "neighbour", "busy"]);
});
