/** How the page keeps in touch with a node whose answers and events fail now and then. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { ShoalClient } from "../../../src/client/client.ts";
import type { EventOptions, ShoalEvent } from "../../../src/client/events.ts";
import { MIN_RECONNECT_MS } from "../../../src/ui/limits.ts";
import type { Hosting } from "../../../src/ui/ports.ts";
import { type NodeWatcher, watchNode } from "../../../src/ui/state/node-phase.ts";

const event = (id: string) => ({ id, event: "file_shared" }) as ShoalEvent;

/** A page whose node answers with the events of each reading in turn, and then keeps silent. */
function meet(readings: (() => AsyncGenerator<ShoalEvent>)[], onMet: NodeWatcher["onMet"]) {
  vi.useFakeTimers();
  const stop = new AbortController();
  onTestFinished(() => {
    stop.abort();
    vi.useRealTimers();
  });
  const asked: EventOptions[] = [];
  const told: string[] = [];
  const client = {
    events: (options: EventOptions) => {
      asked.push(options);
      return (readings.shift() ?? silence)();
    },
  };
  const running: Hosting = { state: "running", inThisTab: true };
  const hosting = {
    value: running,
    subscribe: (listener: (now: Hosting) => void) => {
      listener(running);
      return () => {};
    },
  };
  const onEvent = ({ id }: ShoalEvent) => void told.push(id);
  const phase = watchNode(client as unknown as ShoalClient, hosting, { onMet, onEvent }, stop.signal);
  return { asked, told, phase };
}

async function* silence(): AsyncGenerator<ShoalEvent> {
  await new Promise(() => {});
}

test("events are read on from the last one where their stream broke off", async () => {
  async function* broken() {
    yield event("1");
    yield event("2");
    throw new Error("the leader is gone");
  }
  const { asked, told, phase } = meet([broken], async () => {});
  await vi.advanceTimersByTimeAsync(MIN_RECONNECT_MS);
  expect(told).toEqual(["1", "2"]);
  expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([undefined, "2"]);
  expect(phase.value.phase).toBe("running");
});

test("a stream of events is not left open where the node does not answer the rest", async () => {
  const onMet = vi.fn<() => Promise<void>>(async () => {});
  onMet.mockRejectedValueOnce(new Error("busy"));
  const { asked, phase } = meet([], onMet);
  await vi.advanceTimersByTimeAsync(0);
  expect(phase.value.phase).toBe("reconnecting");
  expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true]);
  await vi.advanceTimersByTimeAsync(MIN_RECONNECT_MS);
  expect(phase.value.phase).toBe("running");
  expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
});
