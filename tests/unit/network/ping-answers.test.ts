/** Answers to pings: src/network/connecting/ping-answers. */
import type { Stream } from "@libp2p/interface";
import { streamPair } from "@libp2p/utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MAX_PING_BYTES } from "../../../src/network/connecting/limits.ts";
import { answerPing } from "../../../src/network/connecting/ping-answers.ts";
import { PING_PATIENCE_MS } from "../../../src/network/limits.ts";
import { untilTrue } from "../../eventually.ts";

const PING = new Uint8Array(32).fill(7);

let asking: Stream;
let answering: Stream;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  [asking, answering] = await streamPair();
});
afterEach(() => {
  vi.useRealTimers();
});

function nextMessage(): Promise<Uint8Array> {
  return new Promise((resolve) => {
    asking.addEventListener("message", ({ data }) => resolve(data.subarray()), { once: true });
  });
}

it("sends back what comes, as often as it comes, until the other end closes", async () => {
  const ended = answerPing(answering);
  for (let round = 0; round < 3; round++) {
    const pong = nextMessage();
    asking.send(PING);
    await vi.runAllTicks();
    expect(await pong).toEqual(PING);
  }
  await Promise.all([asking.close(), ended]);
  expect(answering.status).toBe("closed");
});

it("keeps its answer until there is room where the line is full", async () => {
  answering.writableNeedsDrain = true;
  const ended = answerPing(answering);
  const pong = nextMessage();
  asking.send(PING);
  await untilTrue(() => answering.writeBufferLength > 0 || answering.status !== "open");
  expect(answering.status).toBe("open");
  answering.dispatchEvent(new Event("drain"));
  expect(await pong).toEqual(PING);
  await Promise.all([asking.close(), ended]);
  expect(answering.status).toBe("closed");
});

it("leaves nothing behind when the connection goes", async () => {
  const before = vi.getTimerCount();
  const ended = answerPing(answering);
  expect(vi.getTimerCount()).toBe(before + 1);
  answering.abort(new Error("the connection was lost"));
  await ended;
  expect(vi.getTimerCount()).toBe(before);
});

it("gives up one that does not end", async () => {
  const ended = answerPing(answering);
  vi.advanceTimersByTime(PING_PATIENCE_MS);
  await ended;
  expect(answering.status).toBe("aborted");
});

it("cuts off whoever sends more than pings", async () => {
  const ended = answerPing(answering);
  asking.send(new Uint8Array(MAX_PING_BYTES + 1));
  await ended;
  expect(answering.status).toBe("aborted");
});
