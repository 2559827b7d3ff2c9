/** Ports to the tab that leads: which are served, and which give way: src/browser/hosting/leader-doors. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askOver } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import { MAX_SERVED_PORTS, STAY_AWAKE_EVERY_MS } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import type { ToAll, ToTab, ToWorker } from "../../../src/bridge/tab-messages.ts";
import { LeaderDoors } from "../../../src/browser/hosting/leader-doors.ts";
import { deferred } from "../../deferred.ts";

class Channel extends EventTarget {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
    channels.push(this);
  }

  postMessage() {}
  close() {}
}

let worker: EventTarget;
/** What the worker was sent. */
const sent = vi.fn<(message: ToWorker) => void>();
let channels: Channel[];
const ports: { close(): void }[] = [];
beforeEach(() => {
  channels = [];
  vi.stubGlobal("BroadcastChannel", Channel);
  const getRegistration = async () => ({ active: { postMessage: sent } });
  worker = Object.assign(new EventTarget(), { startMessages() {}, getRegistration });
  vi.stubGlobal("navigator", { serviceWorker: worker });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  sent.mockClear();
  for (const port of ports.splice(0)) port.close();
});

/** A tab's end of a port that the service worker has handed over; null: its own end. */
function knock(tab: string | null = "a tab"): FramePort {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const data: ToTab = { type: "serve", tab };
  worker.dispatchEvent(Object.assign(new Event("message"), { data, ports: [port2] }));
  return port1 as FramePort;
}

it("goes on with what a tab has asked for, however many others were opened and closed since", async () => {
  let answer!: (response: Response) => void;
  let taken!: () => void;
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const answered = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  new LeaderDoors({
    name: "leader",
    answer: () => {
      taken();
      return answered;
    },
    refusal: () => undefined,
    leaderSilent: () => {},
    leaderYields: () => {},
  });
  const asker = await askOver(knock());
  const request = new Request("http://page.test/api/v1/files", { method: "POST" });
  const outcome = asker.request(request, "page").then(({ status }) => status, String);
  await isTaken;

  const first = await askOver(knock());
  for (let tab = 2; tab < MAX_SERVED_PORTS; tab++) await askOver(knock());
  await askOver(knock());
  answer(new Response());
  expect(await outcome).toBe(200);
  expect(await first.ended).toMatchObject({ name: "closed" });
});

const LEADS = {
  name: "leader",
  answer: async () => new Response(),
  refusal: () => undefined,
  leaderSilent: () => {},
  leaderYields: () => {},
};

it("ends the port of a worker that was ended, when that begins anew", async () => {
  new LeaderDoors(LEADS);
  const tab = await askOver(knock());
  const former = await askOver(knock(null));
  const worker = await askOver(knock(null));
  expect(await former.ended).toMatchObject({ name: "closed" });
  const request = new Request("http://page.test/health");
  const answers = await Promise.all([tab, worker].map((asker) => asker.request(request, "page")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

it("keeps the worker awake while something is on its way, and only then", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let finish!: (response: Response) => void;
  const answer = () => new Promise<Response>((resolve) => (finish = resolve));
  new LeaderDoors({ ...LEADS, answer });
  const asker = await askOver(knock(null));
  await vi.advanceTimersByTimeAsync(STAY_AWAKE_EVERY_MS);
  expect(sent).not.toHaveBeenCalled();
  const answered = asker.request(new Request("http://page.test/health"), "page");
  await expect.poll(() => finish).toBeDefined();
  await vi.advanceTimersByTimeAsync(STAY_AWAKE_EVERY_MS);
  expect(sent.mock.calls).toEqual([[{ type: "stay-awake" }]]);
  finish(new Response());
  await answered;
  asker.end(new BridgeError("closed", "The worker stops"));
  await expect.poll(() => vi.getTimerCount()).toBe(0);
});

it("keeps it awake for one tab still when another has gone", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const finish = new Map<string, (response: Response) => void>();
  const gone = deferred();
  const answer = (request: Request) => {
    request.signal.addEventListener("abort", () => gone.resolve());
    return new Promise<Response>((resolve) => finish.set(request.url, resolve));
  };
  new LeaderDoors({ ...LEADS, answer });
  const [staying, going] = [await askOver(knock()), await askOver(knock("a tab that goes"))];
  const answered = staying.request(new Request("http://page.test/stays"), "page");
  const ended = going.request(new Request("http://page.test/goes"), "page").catch(({ name }) => name);
  await expect.poll(() => finish.size).toBe(2);
  going.end(new BridgeError("closed", "The tab is gone"));
  expect(await ended).toBe("closed");
  await gone.promise;
  await vi.advanceTimersByTimeAsync(STAY_AWAKE_EVERY_MS);
  expect(sent.mock.calls).toEqual([[{ type: "stay-awake" }]]);
  for (const give of finish.values()) give(new Response());
  await answered;
});

it.each([
  ["is joined", undefined, ["pipe"]],
  ["is left to the tab that leads", new BridgeError("not_leading", "Another tab leads"), []],
])("the pipe of a tab that knocks without a worker %s", (_, refusal, joined) => {
  new LeaderDoors({ ...LEADS, refusal: () => refusal });
  const [tabs] = channels.splice(0);
  const data: ToAll = { type: "knock", pipe: "pipe" };
  tabs?.dispatchEvent(Object.assign(new Event("message"), { data }));
  expect(channels.map(({ name }) => name)).toEqual(joined);
});
