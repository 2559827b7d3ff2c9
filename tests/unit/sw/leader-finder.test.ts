/** How the service worker finds the tab that leads among those that are open, and when it looks for another. */
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { refusePort, type Served, serveRequests } from "../../../src/bridge/answering.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import { LEADER_WITHIN_MS } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import { readToAll, TABS_CHANNEL, type ToAll } from "../../../src/bridge/tab-messages.ts";
import { LeaderFinder } from "../../../sw/leader-finder.ts";
import { eventually } from "../../eventually.ts";
import { type Channel, WatchedChannels } from "../bridge/watched-channels.ts";

const channels = new WatchedChannels();
const served: Served[] = [];
let tabs: Channel;
/** What is said to all tabs, in order. */
const said: string[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  channels.watch();
  tabs = new BroadcastChannel(TABS_CHANNEL);
  said.length = 0;
  tabs.onmessage = (event) => said.push(String(readToAll((event as MessageEvent).data)?.type));
});
afterEach(() => {
  vi.useRealTimers();
  const over = new BridgeError("closed", "The test is over");
  for (const one of served.splice(0)) one.end(over);
  channels.closeAll();
});

const REFUSALS = {
  waits: new BridgeError("not_leading", "This tab does not host the node"),
  failed: new BridgeError("start_failed", "The node could not start"),
  old: new BridgeError("version_mismatch", "Reload every tab"),
};

/** A tab that is open. `is` may change: what it does with a port that it is handed. */
class Tab {
  readonly id: string;
  is: keyof typeof REFUSALS | "leads" | "another page";
  knocks = 0;
  /** What it has been handed and has not answered yet. */
  readonly unanswered: FramePort[] = [];

  constructor(id: string, is: Tab["is"]) {
    this.id = id;
    this.is = is;
  }

  postMessage(message: unknown, [port]: [FramePort]): void {
    expect(message).toEqual({ type: "serve", tab: null });
    this.knocks++;
    if (this.is === "leads") this.serve(port);
    else if (this.is === "another page") this.unanswered.push(port);
    else refusePort(port, REFUSALS[this.is]);
  }

  serve(port: FramePort): Served {
    const one = serveRequests(port, async () => new Response(this.id), this.id);
    served.push(one);
    return one;
  }
}

function finderAmong(open: Tab[]) {
  // A tab that was loaded past the worker may lead as well.
  const matchAll = async ({ type = "", includeUncontrolled = false } = {}) =>
    type === "window" && includeUncontrolled ? open : [];
  return new LeaderFinder({ matchAll } as unknown as ConstructorParameters<typeof LeaderFinder>[0]);
}

function tell(message: ToAll): void {
  tabs.postMessage(message);
}

it("finds the tab that leads among others, once for all who ask, whichever come", async () => {
  const open = [new Tab("waits", "waits"), new Tab("leads", "leads"), new Tab("json", "another page")];
  const finder = finderAmong(open);
  const [one, other] = await Promise.all([finder.find(), finder.find()]);
  expect([one.clientId, one.asker.answerer, other]).toEqual(["leads", "leads", one]);
  expect(await finder.find()).toBe(one);
  expect(open.map(({ knocks }) => knocks)).toEqual([1, 1, 1]);
});

it("looks anew once the leader has handed its place over", async () => {
  const [first, second] = [new Tab("first", "leads"), new Tab("second", "waits")];
  const finder = finderAmong([first, second]);
  const { asker } = await finder.find();
  first.is = "waits";
  second.is = "leads";
  served[0]?.end(new BridgeError("closed", "The tab that hosted the node has handed it over"));
  await asker.ended;
  expect((await finder.find()).clientId).toBe("second");
});

it("lets go of a leader that no event tells the end of when its successor speaks, and of none that speaks itself", async () => {
  const [first, second] = [new Tab("first", "leads"), new Tab("second", "waits")];
  const finder = finderAmong([first, second]);
  const { asker } = await finder.find();
  const ended = vi.fn();
  void asker.ended.then(ended);
  tell({ type: "leads", leader: "first" });
  expect(await (await asker.request(new Request("http://localhost/"), "")).text()).toBe("first");
  expect(ended).not.toHaveBeenCalled();
  first.is = "another page";
  second.is = "leads";
  tell({ type: "leads", leader: "second" });
  await asker.ended;
  expect((await finder.find()).clientId).toBe("second");
});

it("keeps the one that leads, though another said so before and no longer does", async () => {
  const [first, second] = [new Tab("first", "waits"), new Tab("second", "waits")];
  const finder = finderAmong([first, second]);
  const found = finder.find();
  for (const [at, name] of ["first", "second"].entries()) {
    await eventually(() => expect(second.knocks).toBe(at + 1));
    if (name === "second") second.is = "leads";
    tell({ type: "leads", leader: name });
  }
  const { asker } = await found;
  const answer = await asker.request(new Request("http://localhost/", { method: "POST" }), "");
  expect(await answer.text()).toBe("second");
});

it("keeps the leader whatever else the tabs say to each other", async () => {
  const finder = finderAmong([new Tab("leads", "leads")]);
  const found = await finder.find();
  const another = new BroadcastChannel(TABS_CHANNEL);
  another.postMessage({ type: "knock", pipe: "a pipe" } satisfies ToAll);
  another.postMessage({ type: "leader-silent" } satisfies ToAll);
  await eventually(() => expect(said).toEqual(["knock", "leader-silent"]));
  const answer = await found.asker.request(new Request("http://localhost/"), "");
  expect(await answer.text()).toBe("leads");
  expect(await finder.find()).toBe(found);
});

it("listens once, however often it has looked", async () => {
  const finder = finderAmong([]);
  for (const _ of [1, 2]) await expect(finder.find()).rejects.toMatchObject({ name: "no_leader" });
  const own = channels.open.filter((channel) => channel !== tabs);
  expect(own.map((channel) => getEventListeners(channel, "message").length)).toEqual([1]);
});

it("says at once that there is no leader where no tab is open, and looks again the next time", async () => {
  const open: Tab[] = [];
  const finder = finderAmong(open);
  await expect(finder.find()).rejects.toMatchObject({ name: "no_leader" });
  open.push(new Tab("leads", "leads"));
  expect((await finder.find()).clientId).toBe("leads");
});

it("says at once why no node runs where none of the tabs will ever lead", async () => {
  const finder = finderAmong([new Tab("one", "failed"), new Tab("two", "failed")]);
  await expect(finder.find()).rejects.toMatchObject({ name: "start_failed" });
  const finderOfOld = finderAmong([new Tab("old", "old")]);
  await expect(finderOfOld.find()).rejects.toMatchObject({ name: "version_mismatch" });
});

it("waits for a tab that is about to lead, though another failed, and finds it when it says so", async () => {
  const [failed, waits] = [new Tab("failed", "failed"), new Tab("waits", "waits")];
  const finder = finderAmong([failed, waits]);
  const found = finder.find();
  await eventually(() => expect(waits.knocks).toBe(1));
  waits.is = "leads";
  tell({ type: "leads", leader: "waits" });
  expect((await found).clientId).toBe("waits");
});

it("waits no longer than some seconds, and has the silent leader's lock taken then", async () => {
  const still = new Tab("still", "another page");
  const found = finderAmong([still]).find();
  const refused = expect(found).rejects.toMatchObject({ name: "no_leader" });
  await eventually(() => expect(still.knocks).toBe(1));
  // Of a tab that looks for the leader in another way, and finds nobody either.
  new BroadcastChannel(TABS_CHANNEL).postMessage({ type: "knock", pipe: "a pipe" } satisfies ToAll);
  await eventually(() => expect(said).toEqual(["knock"]));
  vi.advanceTimersByTime(LEADER_WITHIN_MS);
  await refused;
  await eventually(() => expect(said).toEqual(["knock", "leader-silent"]));
  expect(still.knocks).toBe(1);
});

it("calls a tab that began to lead while it was looked for late, and not silent", async () => {
  const slow = new Tab("slow", "another page");
  const found = finderAmong([slow]).find();
  const refused = expect(found).rejects.toMatchObject({ name: "no_leader" });
  await eventually(() => expect(slow.knocks).toBe(1));
  tell({ type: "leads", leader: "slow" });
  await eventually(() => expect(slow.knocks).toBe(2));
  vi.advanceTimersByTime(LEADER_WITHIN_MS);
  await refused;
  new BroadcastChannel(TABS_CHANNEL).postMessage({ type: "knock", pipe: "later" } satisfies ToAll);
  await eventually(() => expect(said).toEqual(["knock"]));
});

it("ends the port to a tab that says hello when another has been found", async () => {
  const [first, second] = [new Tab("first", "leads"), new Tab("second", "leads")];
  const { clientId } = await finderAmong([first, second]).find();
  const other = served[clientId === "first" ? 1 : 0];
  expect(await other?.ended).toMatchObject({ name: "closed", message: "Another tab leads" });
});

it("ends a port that it looked with before, to which a tab says hello at last", async () => {
  const slow = new Tab("slow", "another page");
  const found = finderAmong([slow]).find();
  await eventually(() => expect(slow.unanswered.length).toBe(1));
  slow.is = "leads";
  tell({ type: "leads", leader: "slow" });
  expect((await found).clientId).toBe("slow");
  const ended = vi.fn();
  for (const port of slow.unanswered) void slow.serve(port).ended.then(({ message }) => ended(message));
  await eventually(() => expect(ended).toHaveBeenCalledExactlyOnceWith("Another tab leads"));
});
