/**
 * When a tab of a former version offers the lead, which tab takes it, and when one starts its node anew:
 * src/browser/hosting/leader.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Asker, askOver } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import type { ToAll, ToTab } from "../../../src/bridge/tab-messages.ts";
import { type HostedNode, type Leadership, standForLeader } from "../../../src/browser/hosting/leader.ts";
import { OFFER_LEAD_EVERY_MS, START_ANEW_LOOK_MS } from "../../../src/browser/limits.ts";
import { deferred } from "../../deferred.ts";

type Locked = (lock: object | null) => Promise<void>;

/** Asked of the browser, in order. */
let asked: { name: string; options: LockOptions; run: Locked }[];
/** What was said to all tabs. */
let said: ToAll[];
let channel: EventTarget;
let worker: EventTarget;
let page: EventTarget & { visibilityState?: string };
let isBusy: boolean;
/** What the node answers with. */
let answer: () => Promise<Response>;
const askers: Asker[] = [];

interface LockOptions {
  steal?: boolean;
  ifAvailable?: boolean;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  asked = [];
  said = [];
  isBusy = false;
  answer = async () => new Response("here");
  worker = Object.assign(new EventTarget(), { startMessages() {}, getRegistration: async () => undefined });
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("document", page);
  vi.stubGlobal(
    "BroadcastChannel",
    class extends EventTarget {
      constructor() {
        super();
        channel = this;
      }
      postMessage(message: ToAll) {
        said.push(message);
      }
    },
  );
  vi.stubGlobal("navigator", {
    serviceWorker: worker,
    locks: {
      request: (name: string, options: LockOptions, run: Locked) => {
        asked.push({ name, options, run });
        return new Promise(() => {});
      },
    },
  });
});
afterEach(() => {
  for (const asker of askers.splice(0)) asker.end(new BridgeError("closed", "The test is over"));
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const start = async (): Promise<HostedNode> => ({
  answer: () => answer(),
  isBusy: () => isBusy,
  stop: async () => {},
});

/** A tab whose node runs, of a former version. */
async function formerLeader(): Promise<Leadership> {
  const tab = standForLeader(start);
  void asked.at(-1)?.run({});
  await expect.poll(() => tab.state.value.name).toBe("leading");
  tab.yieldToNewer();
  return tab;
}

/** How often the lead is offered in a while. */
function offersIn(times: number): number {
  said.length = 0;
  vi.advanceTimersByTime(times * OFFER_LEAD_EVERY_MS);
  return said.filter(({ type }) => type === "leader-yields").length;
}

/** Another tab's port to the leader. */
async function openPort(): Promise<Asker> {
  const { port1, port2 } = new MessageChannel();
  const data: ToTab = { type: "serve", tab: "another" };
  worker.dispatchEvent(Object.assign(new Event("message"), { data, ports: [port2] }));
  const asker = await askOver(port1 as FramePort);
  askers.push(asker);
  return asker;
}

const request = () => new Request("http://page.test/health");

it("a tab of a former version that leads offers the lead again and again, however often it is told that it is one", async () => {
  const tab = await formerLeader();
  tab.yieldToNewer();
  expect(offersIn(3)).toBe(3);
});

it("one of the present version offers nothing", async () => {
  const tab = standForLeader(start);
  void asked.at(-1)?.run({});
  await expect.poll(() => tab.state.value.name).toBe("leading");
  expect(offersIn(3)).toBe(0);
});

it("one that does not lead has nothing to offer, nor one whose node only starts", async () => {
  const waiting = standForLeader(start);
  waiting.yieldToNewer();
  expect(offersIn(1)).toBe(0);
  const starting = standForLeader(() => new Promise(() => {}));
  starting.yieldToNewer();
  void asked.at(-1)?.run({});
  expect(starting.state.value.name).toBe("starting");
  expect(offersIn(1)).toBe(0);
});

it("it waits while files are on their way", async () => {
  await formerLeader();
  isBusy = true;
  expect(offersIn(2)).toBe(0);
  isBusy = false;
  expect(offersIn(1)).toBe(1);
});

it("it waits for the answers to its own page", async () => {
  const tab = await formerLeader();
  const [isAsked, given] = [deferred(), deferred<Response>()];
  answer = () => {
    isAsked.resolve();
    return given.promise;
  };
  const answered = tab.answer(request(), { address: "page" });
  await isAsked.promise;
  expect(offersIn(1)).toBe(0);
  given.reject(new Error("no answer"));
  await expect(answered).rejects.toThrow("no answer");
  expect(offersIn(1)).toBe(1);
});

it("it waits until another tab has the whole of what it asked for, and not for a stream of events, which never ends", async () => {
  await formerLeader();
  const asker = await openPort();
  const streams = [deferred<ReadableStreamDefaultController>(), deferred<ReadableStreamDefaultController>()];
  const types = ["text/event-stream; charset=utf-8", "text/plain"];
  const bodies: (Response | undefined)[] = [];
  for (const [at, stream] of streams.entries()) {
    const body = new ReadableStream({ start: (controller) => stream.resolve(controller) });
    answer = async () => new Response(body, { headers: { "content-type": types[at] ?? "" } });
    bodies.push(await asker.request(request(), "page"));
    expect(offersIn(1)).toBe(at === 0 ? 1 : 0);
  }
  (await streams[1]?.promise)?.close();
  await bodies[1]?.text();
  await expect.poll(() => offersIn(1)).toBe(1);
});

it.each([
  ["takes it where it is looked at and of the present version", "visible", false, ["shoal-node-takeover"]],
  ["leaves it to another where nobody looks at it", "hidden", false, []],
  ["leaves it to another where it is of a former version itself", "visible", true, []],
])("a tab that waits, and is offered the lead, %s", async (_, visibility, isFormer, names) => {
  page.visibilityState = visibility;
  const tab = standForLeader(start);
  if (isFormer) tab.yieldToNewer();
  asked.length = 0;
  const data: ToAll = { type: "leader-yields" };
  channel.dispatchEvent(Object.assign(new Event("message"), { data }));
  expect(asked.map(({ name }) => name)).toEqual(names);
  if (names.length === 0) return;
  void asked.shift()?.run({});
  expect(asked).toMatchObject([{ name: "shoal-node", options: { steal: true } }]);
});

it("starts its node anew where that knows more, once nothing is under way, and only that one", async () => {
  const stops: boolean[] = [];
  const tab = standForLeader(async () => ({
    ...(await start()),
    stop: async (isFollowed) => void stops.push(isFollowed),
  }));
  void asked.at(-1)?.run({});
  await expect.poll(() => tab.state.value.name).toBe("leading");
  isBusy = true;
  tab.startAnew();
  vi.advanceTimersByTime(3 * START_ANEW_LOOK_MS);
  expect([tab.state.value.name, asked.length]).toEqual(["leading", 1]);
  isBusy = false;
  vi.advanceTimersByTime(START_ANEW_LOOK_MS);
  await expect.poll(() => asked.length).toBe(2);
  expect(stops).toEqual([false]);
  void asked.at(-1)?.run({});
  await expect.poll(() => tab.state.value.name).toBe("leading");
  vi.advanceTimersByTime(3 * START_ANEW_LOOK_MS);
  expect(tab.state.value.name).toBe("leading");
});
