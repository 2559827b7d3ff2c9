/** A tab that is stopped just as it gets the lock, and one whose node does not start: src/browser/leader. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type HostedNode, standForLeader } from "../../../src/browser/leader.ts";

let grant: () => Promise<void>;
let page: EventTarget;
beforeEach(() => {
  vi.stubGlobal("addEventListener", () => {});
  page = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal(
    "BroadcastChannel",
    class extends EventTarget {
      postMessage() {}
    },
  );
  vi.stubGlobal("navigator", {
    locks: {
      request: (_name: string, _options: object, lead: () => Promise<void>) => {
        grant = lead;
        return new Promise(() => {});
      },
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

it("starts no node where it was stopped before the lock that it got was given to it", async () => {
  const start = vi.fn(() => new Promise<HostedNode>(() => {}));
  void standForLeader(start);
  void grant();
  expect(start).toHaveBeenCalledTimes(1);

  const stopped = standForLeader(start);
  await stopped.stop();
  void grant();
  expect(start).toHaveBeenCalledTimes(1);
  expect(stopped.state.value.name).toBe("resting");
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
