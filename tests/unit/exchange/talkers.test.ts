/** What a peer that only talks can have of a server's processor. */
import { expect, it, vi } from "vitest";
import { ASKED_BYTES_PER_SECOND } from "../../../src/exchange/limits.ts";
import { encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { HandClock } from "../hand-clock.ts";
import { startServer } from "./crowd.ts";
import { lineOf } from "./line.ts";
import { sourceOf } from "./loopback.ts";
import { ScriptedPeer } from "./scripted-peer.ts";

const errors = vi.hoisted(() => ({ made: 0 }));

vi.mock(import("../../../src/sharing/errors.ts"), async (original) => {
  const module = await original();
  class SharingError extends module.SharingError {
    constructor(...given: ConstructorParameters<typeof module.SharingError>) {
      super(...given);
      errors.made += 1;
    }
  }
  return { ...module, SharingError };
});

const WANT: Message = {
  type: "want",
  requestId: 0,
  priority: 1,
  maxBytes: 10,
  codec: 0x55,
  digest: new Uint8Array(32),
};

/** `meet` gives a peer that was told that the block of request 0 is missing. */
function startTalkers(originOf?: (peerId: string) => string) {
  const clock = new HandClock();
  const { answer, violations } = startServer(clock, sourceOf([]), {}, originOf);
  const open = (peerId: string) => {
    const { near, far } = lineOf(clock);
    const peer = new ScriptedPeer(near.asStream);
    answer(far.asStream, peerId);
    return { peer, near };
  };
  const meet = async (peerId: string) => {
    const { peer, near } = open(peerId);
    peer.send(WANT);
    await peer.untilReceived("missing");
    return { peer, near };
  };
  return { clock, violations, open, meet };
}

async function startTalking() {
  const { clock, violations, meet } = startTalkers();
  return { clock, violations, ...(await meet("talker")) };
}

/** What talks for a second and asks for nothing. */
function aSecondOfTalk(): Uint8Array {
  const cancel = encodeMessage({ type: "cancel", requestId: 0 });
  const count = Math.floor(ASKED_BYTES_PER_SECOND / cancel.length);
  return new Uint8Array(count * cancel.length).map((_, at) => cancel[at % cancel.length] as number);
}

const answerCount = ({ received }: ScriptedPeer) => received.filter(({ type }) => type === "missing").length;

it("no error is made for a request that is taken back once it was answered, which took ten times as long as all else of it", async () => {
  const { peer } = await startTalking();
  const before = errors.made;
  for (let count = 0; count < 10; count++) peer.send({ type: "cancel", requestId: 0 });
  peer.send({ ...WANT, requestId: 1 });
  await peer.untilReceived("missing", 2);
  expect(errors.made).toBe(before);
});

it("what a peer asks is read no faster than the busiest ask, and in the end all of it", async () => {
  const { clock, peer, near, violations } = await startTalking();
  for (let second = 0; second < 4; second++) near.send(aSecondOfTalk());
  peer.send({ ...WANT, requestId: 1 });
  await clock.pass(2_500);
  expect(answerCount(peer)).toBe(1);
  await clock.pass(2_000);
  expect(answerCount(peer)).toBe(2);
  expect(violations).toEqual([]);
});

it("peers of one host are read as fast as one, in turn, and none of it is taken from another host's", async () => {
  const { clock, violations, meet } = startTalkers((peerId) => peerId.slice(0, -1));
  const talkers = await Promise.all(["host 1a", "host 1b", "host 1c", "host 1d"].map(meet));
  for (const { peer, near } of talkers) {
    for (let second = 0; second < 2; second++) near.send(aSecondOfTalk());
    peer.send({ ...WANT, requestId: 1 });
  }
  const { peer: other } = await meet("host 2a");
  other.send({ ...WANT, requestId: 1 });
  await clock.pass(0);
  expect(answerCount(other)).toBe(2);
  await clock.pass(3_500);
  expect(talkers.map(({ peer }) => answerCount(peer))).toEqual([1, 1, 1, 1]);
  await clock.pass(5_500);
  expect(talkers.map(({ peer }) => answerCount(peer))).toEqual([2, 2, 2, 2]);
  expect(violations).toEqual([]);
});

it("one conversation after another brings no more than one, and who comes from the same host is heard soon after", async () => {
  const { clock, violations, open } = startTalkers(() => "the host of both");
  for (let count = 0; count < 64; count++) {
    open("talker").near.send(Buffer.concat([encodeMessage(WANT), aSecondOfTalk()]));
    await clock.pass(0);
  }
  const { peer: other } = open("other");
  for (const requestId of [0, 1]) other.send({ ...WANT, requestId });
  await clock.pass(1_500);
  expect(answerCount(other)).toBe(2);
  expect(violations).toEqual([]);
});
