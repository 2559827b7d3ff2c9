/**
 * When a tab stands for leader, gives the lock up, and says so, whatever becomes of its node meanwhile:
 * src/browser/hosting/leader.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askOver } from "../../../src/bridge/asking.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import type { ToTab } from "../../../src/bridge/tab-messages.ts";
import { type HostedNode, standForLeader } from "../../../src/browser/hosting/leader.ts";

let grant: () => Promise<void>;
let view: EventTarget;
let page: EventTarget;
let worker: EventTarget;
beforeEach(() => {
  worker = Object.assign(new EventTarget(), { startMessages() {} });
  view = new EventTarget();
  vi.stubGlobal("addEventListener", view.addEventListener.bind(view));
  page = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal(
    "BroadcastChannel",
    class extends EventTarget {
      postMessage() {}
    },
  );
  vi.stubGlobal("navigator", {
    serviceWorker: worker,
    locks: {
      request: (_name: string, _options: object, lead: () => Promise<void>) => {
        grant = lead;
        return new Promise(() => {});
      },
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

/** The page goes, and is not kept. */
function leave(): void {
  view.dispatchEvent(Object.assign(new Event("pagehide"), { persisted: false }));
}

it("starts no node where it was left before the lock that it got was given to it", () => {
  const start = vi.fn(() => new Promise<HostedNode>(() => {}));
  void standForLeader(start);
  void grant();
  expect(start).toHaveBeenCalledTimes(1);

  const left = standForLeader(start);
  leave();
  void grant();
  expect(start).toHaveBeenCalledTimes(1);
  expect(left.state.value.name).toBe("resting");
});

it("refuses what was asked while its node started, where that fails, with the reason", async () => {
  let fail!: (reason: Error) => void;
  const start = () => new Promise<HostedNode>((_, reject) => (fail = reject));
  const tab = standForLeader(start);
  void grant();
  const asked = tab.answer(new Request("http://page.test/health"), { address: "page" });
  fail(new DOMException("No room", "QuotaExceededError"));
  await expect(asked).rejects.toMatchObject({
    name: "start_failed",
    message: "The node could not start: No room",
  });
});

it("says to a node that starts in a tab that is frozen, before anything else, that another tab may lead", async () => {
  let start: AbortSignal | undefined;
  const tab = standForLeader((signal) => {
    start = signal;
    return new Promise<HostedNode>(() => {});
  });
  void grant();
  expect(start?.aborted).toBe(false);
  page.dispatchEvent(new Event("freeze"));
  expect(start?.aborted).toBe(true);
  expect(tab.state.value.name).toBe("resting");
});

it("does not call a start failed that was cut short since the tab is frozen", async () => {
  const cutShort = (signal: AbortSignal) =>
    new Promise<HostedNode>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const tab = standForLeader(cutShort);
  const held = grant();
  page.dispatchEvent(new Event("freeze"));
  await held;
  expect(tab.state.value.name).toBe("resting");
});

it("gives the lock back at once where it is frozen, and else when its node has stopped", async () => {
  let isStopped!: () => void;
  const stop = () => new Promise<void>((resolve) => (isStopped = resolve));
  const start = async (): Promise<HostedNode> => ({
    answer: async () => new Response(),
    isBusy: () => false,
    stop,
  });
  const frozen = standForLeader(start);
  const held = grant();
  await expect.poll(() => frozen.state.value.name).toBe("leading");
  page.dispatchEvent(new Event("freeze"));
  await held;
  isStopped();

  const left = standForLeader(start);
  const givenBack = vi.fn();
  const heldOn = grant().then(givenBack);
  await expect.poll(() => left.state.value.name).toBe("leading");
  leave();
  await new Promise(setImmediate);
  expect(givenBack).not.toHaveBeenCalled();
  isStopped();
  await heldOn;
});

it("goes on leading where it is told that it is awake", () => {
  const tab = standForLeader(() => new Promise<HostedNode>(() => {}));
  void grant();
  page.dispatchEvent(new Event("resume"));
  expect(tab.state.value.name).toBe("starting");
});

it("ends the ports that it serves, with the reason, where its node does not start", async () => {
  let fail!: (reason: Error) => void;
  standForLeader(() => new Promise<HostedNode>((_, reject) => (fail = reject)));
  void grant();
  const { port1, port2 } = new MessageChannel();
  const data: ToTab = { type: "serve", tab: "another" };
  worker.dispatchEvent(Object.assign(new Event("message"), { data, ports: [port2] }));
  const asker = await askOver(port1 as FramePort);
  fail(new DOMException("No room", "QuotaExceededError"));
  expect(await asker.ended).toMatchObject({ name: "start_failed" });
});
