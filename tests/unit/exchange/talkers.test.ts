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

/** A peer that was told that the block of request 0 is missing. */
async function startTalking() {
  const clock = new HandClock();
  const { answer, violations } = startServer(clock, sourceOf([]));
  const { near, far } = lineOf(clock);
  const peer = new ScriptedPeer(near.asStream);
  answer(far.asStream, "talker");
  peer.send(WANT);
  await peer.untilReceived("missing");
  return { clock, peer, near, violations };
}

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
  const cancel = encodeMessage({ type: "cancel", requestId: 0 });
  const aSecond = new Uint8Array(ASKED_BYTES_PER_SECOND);
  for (let at = 0; at + cancel.length <= aSecond.length; at += cancel.length) aSecond.set(cancel, at);
  const whole = aSecond.subarray(0, aSecond.length - (aSecond.length % cancel.length));
  for (let second = 0; second < 4; second++) near.send(whole);
  peer.send({ ...WANT, requestId: 1 });
  const answered = () => peer.received.filter(({ type }) => type === "missing").length;
  await clock.pass(2_500);
  expect(answered()).toBe(1);
  await clock.pass(2_000);
  expect(answered()).toBe(2);
  expect(violations).toEqual([]);
});
