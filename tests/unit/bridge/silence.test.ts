/** Ends that are there and answer nothing: noticed by questions left open, not by the clock. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askOver } from "../../../src/bridge/asking.ts";
import { HELLO_WITHIN_MS, PING_EVERY_MS, UNANSWERED_PINGS } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import { SilenceWatch } from "../../../src/bridge/silence-watch.ts";
import { BareEnd, bareAnswerer, bareAsker, HELLO } from "./two-ends.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function watch() {
  const events: string[] = [];
  const silence = new SilenceWatch(
    () => events.push("ask"),
    () => events.push("silent"),
  );
  silence.start();
  return { silence, events };
}

test("an end that answers is never silent", () => {
  const { silence, events } = watch();
  for (let round = 0; round < 20; round++) {
    vi.advanceTimersByTime(PING_EVERY_MS);
    silence.heard();
  }
  expect(events).toEqual([]);
});

test("an end that leaves three questions open is silent, once", () => {
  const { events } = watch();
  vi.advanceTimersByTime(PING_EVERY_MS * 20);
  expect(events).toEqual([...Array(UNANSWERED_PINGS).fill("ask"), "silent"]);
});

test("an answer to the last question is in time, and the next ones are counted anew", () => {
  const { silence, events } = watch();
  vi.advanceTimersByTime(PING_EVERY_MS * (1 + UNANSWERED_PINGS));
  silence.heard();
  vi.advanceTimersByTime(PING_EVERY_MS * (1 + UNANSWERED_PINGS));
  expect(events).toEqual(Array(2 * UNANSWERED_PINGS).fill("ask"));
});

test("a stopped watch asks nothing", () => {
  const { silence, events } = watch();
  silence.stop();
  vi.advanceTimersByTime(PING_EVERY_MS * 20);
  expect(events).toEqual([]);
});

test("a watch that is started anew counts anew", () => {
  const { silence, events } = watch();
  vi.advanceTimersByTime(PING_EVERY_MS * (1 + UNANSWERED_PINGS));
  silence.stop();
  silence.start();
  vi.advanceTimersByTime(PING_EVERY_MS * (1 + UNANSWERED_PINGS));
  expect(events).toEqual(Array(2 * UNANSWERED_PINGS).fill("ask"));
});

test("a watch that was started again while it ran is stopped whole", () => {
  const { silence, events } = watch();
  silence.start();
  silence.stop();
  vi.advanceTimersByTime(PING_EVERY_MS * 20);
  expect(events).toEqual([]);
});

test("an end that never says hello is silent, and is told so", async () => {
  const { port1, port2 } = new MessageChannel();
  const bare = new BareEnd(port1);
  const refused = expect(askOver(port2 as FramePort)).rejects.toMatchObject({ name: "silent" });
  await vi.advanceTimersByTimeAsync(HELLO_WITHIN_MS);
  await refused;
  expect(await bare.nextOf("bye")).toMatchObject({ name: "silent" });
});

test("a question is answered", async () => {
  const { bare } = bareAsker(async () => new Response());
  bare.send(HELLO, { type: "ping" });
  expect(await bare.nextOf("pong")).toEqual({ type: "pong" });
});

const REQUEST = {
  type: "request",
  id: 1,
  method: "GET",
  url: "http://shoal.test/",
  headers: [],
  body: null,
  client: "tab",
};

/** Whether the end at the other side asks when it hears nothing for long enough. Its answer tells that it has had its time. */
async function isAsked(bare: BareEnd): Promise<boolean> {
  vi.advanceTimersByTime(2 * PING_EVERY_MS);
  bare.send({ type: "ping" });
  let asked = false;
  for (;;) {
    const { type } = await bare.next();
    if (type === "pong") return asked;
    if (type === "ping") asked = true;
  }
}

test("an end that answers asks nothing once it has answered", async () => {
  const { bare } = bareAsker(async () => new Response());
  bare.send(HELLO, REQUEST);
  await bare.nextOf("response");
  expect(await isAsked(bare)).toBe(false);
});

test("an end that answers asks nothing once the request was aborted", async () => {
  const { bare, served } = bareAsker(() => new Promise(() => undefined));
  bare.send(HELLO, REQUEST, { type: "ping" });
  await bare.nextOf("pong");
  expect(served.inFlight()).toBe(1);
  expect(await isAsked(bare)).toBe(true);
  bare.send({ type: "abort", id: 1 }, { type: "ping" });
  await bare.nextOf("pong");
  expect(await isAsked(bare)).toBe(false);
});

test("an end that answers asks on while one request is in flight, whatever comes of the others", async () => {
  const { bare } = bareAsker(async ({ url }) =>
    url.endsWith("/at-once") ? new Response() : new Promise(() => {}),
  );
  bare.send(HELLO, REQUEST, { ...REQUEST, id: 2, url: "http://shoal.test/at-once" });
  await bare.nextOf("response");
  expect(await isAsked(bare)).toBe(true);
  bare.send({ ...REQUEST, id: 3 }, { type: "abort", id: 3 }, { type: "ping" });
  await bare.nextOf("pong");
  expect(await isAsked(bare)).toBe(true);
});

test("an end that asks goes on to while one answer is not there", async () => {
  const { bare, asker } = await bareAnswerer();
  const [first, second] = [1, 2].map(() => asker.request(new Request(REQUEST.url), "tab"));
  for (const _ of [1, 2]) await bare.nextOf("request");
  const response = { type: "response", status: 204, statusText: "", headers: [], body: null };
  bare.send({ ...response, id: 1 });
  await first;
  expect(await isAsked(bare)).toBe(true);
  bare.send({ ...response, id: 2 });
  await second;
});

test("an end that asks for nothing more asks nothing else", async () => {
  const { bare, asker } = await bareAnswerer();
  const answer = asker.request(new Request(REQUEST.url), "tab");
  await bare.nextOf("request");
  expect(await isAsked(bare)).toBe(true);
  bare.send({ type: "response", id: 1, status: 204, statusText: "", headers: [], body: null });
  await answer;
  expect(await isAsked(bare)).toBe(false);
});
