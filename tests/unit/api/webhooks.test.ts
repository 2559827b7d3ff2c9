/** What webhooks are sent, how often, and when no more: src/api/webhooks. */
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  MAX_WEBHOOK_ATTEMPTS,
  MAX_WEBHOOK_QUEUE,
  MAX_WEBHOOK_SENDS,
  MAX_WEBHOOKS,
} from "../../../src/api/limits.ts";
import { type DeliverWebhook, retryDelayMs } from "../../../src/api/webhooks/queue.ts";
import { openWebhooks, type WebhookPorts, type Webhooks } from "../../../src/api/webhooks/webhooks.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { createNodeEvents } from "../../../src/sharing/events.ts";
import { MAX_FOLDER_FILES } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { RecordChange } from "../../../src/sharing/ports.ts";
import { eventually } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock, settled } from "../hand-clock.ts";

const TARGET = "https://hooks.example.org/shoal";
const HOUR_MS = 3_600_000;

/** Bodies and headers that the receiver got; it answers with the statuses given, then 204. */
const received: { body: string; headers: Record<string, string> }[] = [];
const answers: number[] = [];
const receiver = setupServer(
  http.post(TARGET, async ({ request }) => {
    received.push({ body: await request.text(), headers: Object.fromEntries(request.headers) });
    return new HttpResponse(null, {
      status: answers.shift() ?? 204,
      headers: { location: "https://evil.example" },
    });
  }),
);

const overFetch: DeliverWebhook = (url, init, { signal }) => fetch(url, { ...init, signal });

const opened: Webhooks[] = [];
beforeAll(() => receiver.listen({ onUnhandledRequest: "error" }));
afterEach(async () => {
  for (const webhooks of opened.splice(0)) await webhooks.stop();
  received.length = 0;
  answers.length = 0;
});
afterAll(() => receiver.close());

type OpenOptions = Partial<WebhookPorts> & { clock?: HandClock; records?: MemoryRecords };

async function open({ clock = new HandClock(), records = new MemoryRecords(), ...ports }: OpenOptions = {}) {
  const events = ports.events ?? createNodeEvents(clock);
  const warnings: string[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (message: string) => void warnings.push(message) };
  const all = { records, clock, log, deliver: overFetch, allowPrivate: false, ...ports, events };
  const webhooks = await openWebhooks(all);
  opened.push(webhooks);
  return { webhooks, clock, events, warnings, records };
}

/** Of a disk that takes nothing while it is full. */
class FullRecords extends MemoryRecords {
  isFull = false;
  refusedCount = 0;

  override async batch(changes: RecordChange[]): Promise<void> {
    if (this.isFull) {
      this.refusedCount += 1;
      // As a disk does, it lets others have their turn.
      await new Promise((resolve) => setImmediate(resolve));
      throw new SharingError("storage_full", "no space left");
    }
    await super.batch(changes);
  }
}

/** Of a disk that takes its time. */
class SlowRecords extends MemoryRecords {
  override async batch(changes: RecordChange[]): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await super.batch(changes);
  }
}

const neverAnswered: DeliverWebhook = (_url, _init, { signal }) => untilAborted(signal);

const configured = { url: TARGET };
const arrived = (count: number) => eventually(() => expect(received).toHaveLength(count));

async function jobsIn(records: MemoryRecords): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of records.entries("webhooks")) if (key.startsWith("job/")) keys.push(key);
  return keys;
}

/** The one event there was waits for its next try. */
async function refused(webhooks: Webhooks, status: number): Promise<void> {
  const failed = { waiting: 1, failure: `the receiver answered ${status}` };
  await eventually(() => expect(webhooks.list()[0]).toMatchObject(failed));
  await settled();
}

/** Of a node that was stopped after a receiver had refused the one event there was. */
async function recordsOfARefusal(): Promise<MemoryRecords> {
  answers.push(500);
  const { records, events, webhooks } = await open({ configured });
  events.publish("file_deleted", { file_id: "f" });
  await refused(webhooks, 500);
  await webhooks.stop();
  return records;
}

const queueIsEmpty = (records: MemoryRecords) =>
  eventually(async () => expect(await jobsIn(records)).toEqual([]));

describe("webhooks", () => {
  it("tell an event in the contract's body, signed so that the standard's own library accepts it", async () => {
    const { webhooks, events, records } = await open();
    const { id } = await webhooks.add(TARGET, ["transfer_complete"]);
    // The library checks the time of signing against the clock of the machine.
    vi.setSystemTime(1_700_000_000_000);
    events.publish("transfer_complete", { transfer_id: "t", file_id: "f", size: 3, duration: 2 });
    events.publish("file_deleted", { file_id: "f" });
    await arrived(1);
    const { body, headers } = received[0] ?? { body: "", headers: {} };
    expect(headers["content-type"]).toBe("application/json");
    const verified = new StandardWebhook(webhooks.secretOf(id)).verify(body, headers);
    vi.useRealTimers();
    expect(verified).toEqual({
      event: "transfer_complete",
      timestamp: "2023-11-14T22:13:20.000Z",
      data: { transfer_id: "t", file_id: "f", size: 3, duration: 2 },
    });
    await queueIsEmpty(records);
  });

  it("tell what happened while the node started", async () => {
    const clock = new HandClock();
    const events = createNodeEvents(clock);
    events.publish("peer_connected", { peer_id: "p", address: "192.0.2.1:4401" });
    const { records } = await open({ configured, clock, events });
    await arrived(1);
    expect(JSON.parse(received[0]?.body ?? "").event).toBe("peer_connected");
    await queueIsEmpty(records);
  });

  it("keep each event once, however often it is named", async () => {
    const { webhooks } = await open({
      configured: { url: TARGET, events: ["file_shared", "file_deleted", "file_shared"] },
    });
    const { id, events } = await webhooks.add(TARGET, ["file_deleted", "file_deleted"]);
    expect(events).toEqual(["file_deleted"]);
    const twice = ["file_shared", "file_deleted", "file_shared"] as const;
    expect(await webhooks.change(id, { events: twice })).toMatchObject({ events: twice.slice(0, 2) });
    expect(webhooks.list().map((webhook) => webhook.events)).toEqual([twice.slice(0, 2), twice.slice(0, 2)]);
  });

  it("carry no progress", async () => {
    const { events } = await open({ configured });
    const started = { transfer_id: "t", file_id: "f" };
    events.publish("transfer_progress", {
      ...started,
      status: "in_progress",
      progress: 0,
      speed: 0,
      peers: 0,
      estimated_completion: null,
    });
    events.publish("transfer_interrupted", { ...started, reason: "paused" });
    events.publish("transfer_started", started);
    await arrived(1);
    expect(JSON.parse(received[0]?.body ?? "").event).toBe("transfer_started");
  });

  it.each([500, 302, 404])("are sent again under the same id after status %i", async (status) => {
    answers.push(status);
    const { events, clock, records, webhooks, warnings } = await open({ configured });
    events.publish("file_deleted", { file_id: "f" });
    await refused(webhooks, status);
    await clock.pass(10_000);
    await arrived(2);
    expect(received[1]?.headers["webhook-id"]).toBe(received[0]?.headers["webhook-id"]);
    expect(received[1]?.headers["webhook-timestamp"]).not.toBe(received[0]?.headers["webhook-timestamp"]);
    await queueIsEmpty(records);
    expect(webhooks.list()[0]).toMatchObject({ waiting: 0, failure: undefined });
    expect(warnings).toEqual([]);
  });

  it.each([
    ["is not reached", () => Promise.reject(new Error("no one there")), "the receiver was not reached"],
    [
      "answers a browser with a redirect",
      async () => Response.error(),
      "the receiver answered with a redirect",
    ],
  ] as const)("say why a receiver took nothing that %s", async (_, deliver, failure) => {
    const { events, webhooks } = await open({ configured, deliver });
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(webhooks.list()[0]).toMatchObject({ waiting: 1, failure }));
  });

  it("end an answer whose bytes go on and on, of which they read none", async () => {
    let [readCount, isEnded] = [0, false];
    const endless = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          readCount += 1;
          controller.enqueue(new Uint8Array(1));
        },
        cancel: () => {
          isEnded = true;
        },
      },
      { highWaterMark: 0 },
    );
    const { events, records } = await open({ configured, deliver: async () => new Response(endless) });
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(isEnded).toBe(true));
    await queueIsEmpty(records);
    expect(readCount).toBe(0);
  });

  it.each([200, 410])(
    "are over with an answer of %i, also where it breaks off behind its status",
    async (status) => {
      let sentCount = 0;
      const deliver: DeliverWebhook = async () => {
        sentCount += 1;
        const breaks = (controller: ReadableStreamDefaultController) => controller.error(new Error("reset"));
        return new Response(new ReadableStream({ start: breaks }), { status });
      };
      const { events, webhooks } = await open({ configured, deliver });
      events.publish("file_deleted", { file_id: "f" });
      await settled();
      expect(sentCount).toBe(1);
      expect(webhooks.list()).toMatchObject([{ waiting: 0, failure: undefined, isStopped: status === 410 }]);
    },
  );

  it.each([1, -24])("are sent again in time when the clock is set by %i hours", async (hours) => {
    answers.push(500);
    const { events, clock, webhooks } = await open({ configured });
    events.publish("file_deleted", { file_id: "f" });
    await refused(webhooks, 500);
    clock.set(hours * HOUR_MS);
    await clock.pass(2_000);
    expect(received).toHaveLength(1);
    await clock.pass(8_000);
    await arrived(2);
  });

  it("wait no longer than they ever would when the clock was set back before a restart", async () => {
    const records = await recordsOfARefusal();
    const clock = new HandClock();
    clock.set(-24 * HOUR_MS);
    await open({ configured, records, clock });
    await clock.pass(10_000);
    await arrived(2);
    await queueIsEmpty(records);
  });

  it("are sent at once where none was tried yet, though the clock was set back before a restart", async () => {
    const records = new MemoryRecords();
    const before = await open({ configured, records, deliver: neverAnswered });
    before.events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(before.webhooks.list()[0]?.waiting).toBe(1));
    await before.webhooks.stop();
    const clock = new HandClock();
    clock.set(-24 * HOUR_MS);
    const deliver = vi.fn<DeliverWebhook>(async () => new Response());
    await open({ configured, records, clock, deliver });
    await settled();
    expect(deliver).toHaveBeenCalledOnce();
  });

  it("are sent again when that is due, and no sooner, though the node was restarted meanwhile", async () => {
    const records = await recordsOfARefusal();
    const soon = await open({ configured, records, clock: new HandClock() });
    await soon.clock.pass(2_000);
    expect(received).toHaveLength(1);
    await soon.webhooks.stop();
    const later = new HandClock();
    await later.pass(HOUR_MS);
    await open({ configured, records, clock: later });
    await arrived(2);
    await queueIsEmpty(records);
  });

  it("stop at 410, and forget what waits", async () => {
    answers.push(410);
    const { events, webhooks, records } = await open({ configured });
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(webhooks.list()[0]?.isStopped).toBe(true));
    events.publish("file_deleted", { file_id: "g" });
    await queueIsEmpty(records);
    expect(received).toHaveLength(1);
  });

  it("stay stopped after a restart, until they are set anew", async () => {
    answers.push(410);
    const records = new MemoryRecords();
    const before = await open({ records });
    const { id } = await before.webhooks.add(TARGET);
    before.events.publish("file_deleted", { file_id: "f" });
    await queueIsEmpty(records);
    await eventually(() => expect(before.webhooks.list()[0]?.isStopped).toBe(true));
    await before.webhooks.stop();
    const { webhooks, events } = await open({ records });
    expect(webhooks.list()).toMatchObject([{ id, isStopped: true }]);
    await webhooks.change(id, {});
    events.publish("file_deleted", { file_id: "g" });
    await arrived(2);
    expect(received[1]?.body).toContain('"g"');
  });

  it("that the settings name no more are told nothing more, not even what waited", async () => {
    const records = new MemoryRecords();
    const before = await open({ configured, records, deliver: neverAnswered });
    before.events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(before.webhooks.list()[0]?.waiting).toBe(1));
    await before.webhooks.stop();
    const { webhooks, events } = await open({ records });
    expect(webhooks.list()).toEqual([]);
    events.publish("file_deleted", { file_id: "g" });
    await queueIsEmpty(records);
    expect(received).toEqual([]);
  });

  it("are so many at most", async () => {
    const { webhooks } = await open();
    // At once: each sees those that were asked for before it.
    const adding = Array.from({ length: MAX_WEBHOOKS + 1 }, (_, index) => webhooks.add(`${TARGET}/${index}`));
    const outcomes = await Promise.allSettled(adding);
    expect(outcomes.at(-1)).toMatchObject({ status: "rejected", reason: { status: 409 } });
    expect(webhooks.list()).toHaveLength(MAX_WEBHOOKS);
  });

  it("stop at 410 once, also where that can't be recorded", async () => {
    const records = new FullRecords();
    let sentCount = 0;
    const deliver: DeliverWebhook = async () => {
      sentCount += 1;
      records.isFull = true;
      return new Response(null, { status: 410 });
    };
    const { events, webhooks } = await open({ configured, records, deliver });
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(webhooks.list()[0]).toMatchObject({ isStopped: true, waiting: 0 }));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(sentCount).toBe(1);
    expect(records.refusedCount).toBeLessThan(5);
  });

  it("go on to another address when the one before answers 410 to what it was still sent", async () => {
    const sent: string[] = [];
    let answer410 = () => {};
    const gone = new Promise<Response>((resolve) => {
      answer410 = () => resolve(new Response(null, { status: 410 }));
    });
    const deliver: DeliverWebhook = async (url) => {
      sent.push(url);
      return url === TARGET ? await gone : new Response(null, { status: 204 });
    };
    const { events, webhooks, clock, records } = await open({ deliver });
    const { id } = await webhooks.add(TARGET);
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(sent).toEqual([TARGET]));
    await webhooks.change(id, { url: `${TARGET}/new` });
    answer410();
    await settled();
    expect(webhooks.list()).toMatchObject([{ isStopped: false, waiting: 1 }]);
    await clock.pass(10_000);
    await queueIsEmpty(records);
    expect(sent).toEqual([TARGET, `${TARGET}/new`]);
  });

  it("stay as they were where a change can't be recorded", async () => {
    const records = new FullRecords();
    const { webhooks } = await open({ records });
    const { id } = await webhooks.add(TARGET);
    records.isFull = true;
    const full = { name: "storage_full" };
    await expect(webhooks.add(`${TARGET}/other`)).rejects.toMatchObject(full);
    await expect(webhooks.change(id, { url: `${TARGET}/other` })).rejects.toMatchObject(full);
    await expect(webhooks.remove(id)).rejects.toMatchObject(full);
    expect(webhooks.list()).toMatchObject([{ id, url: TARGET }]);
  });

  it("that were removed are gone after a restart, too", async () => {
    const { webhooks, records } = await open();
    const { id } = await webhooks.add(TARGET);
    await webhooks.remove(id);
    await webhooks.stop();
    expect((await open({ records })).webhooks.list()).toEqual([]);
  });

  it("lose events that the disk can't keep, with a warning a minute, and none after them", async () => {
    const records = new FullRecords();
    const { clock, events, webhooks, warnings } = await open({ configured, records });
    records.isFull = true;
    for (const passedMs of [0, 0, 60_000]) {
      await clock.pass(passedMs);
      events.publish("file_deleted", { file_id: "f" });
      await webhooks.kept();
    }
    expect(warnings).toEqual(Array(2).fill("the webhook queue was not written"));
    records.isFull = false;
    events.publish("file_deleted", { file_id: "g" });
    await arrived(1);
    expect(received[0]?.body).toContain('"g"');
    await queueIsEmpty(records);
  });

  it("are sent again, with a warning, where the disk can't keep that a receiver refused", async () => {
    const records = new FullRecords();
    const deliver = vi.fn<DeliverWebhook>(async () => {
      records.isFull = true;
      return new Response(null, { status: 500 });
    });
    const { clock, events, warnings } = await open({ configured, records, deliver });
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(warnings).toEqual(["the webhook queue was not written"]));
    await clock.passUntil(() => deliver.mock.calls.length > 1);
    expect(deliver).toHaveBeenCalledTimes(2);
  });

  it("go on after a full disk, however many events it could not keep", async () => {
    const records = new FullRecords();
    const { events, webhooks } = await open({ configured, records });
    records.isFull = true;
    for (let count = 0; count < MAX_WEBHOOK_QUEUE; count += 1)
      events.publish("file_deleted", { file_id: `${count}` });
    await webhooks.kept();
    records.isFull = false;
    events.publish("file_deleted", { file_id: "after" });
    await arrived(1);
    expect(received[0]?.body).toContain('"after"');
  });

  it("keep nothing of what happens once they are stopped", async () => {
    const { events, webhooks, records } = await open({ configured });
    await webhooks.stop();
    events.publish("file_deleted", { file_id: "f" });
    await webhooks.kept();
    expect(await jobsIn(records)).toEqual([]);
  });

  it("are given up after about a day", async () => {
    const attempts: number[] = [];
    const clock = new HandClock();
    const deliver: DeliverWebhook = async () => {
      attempts.push(clock.now());
      throw new Error("no one there");
    };
    const { events, warnings, records } = await open({ configured, clock, deliver });
    events.publish("file_deleted", { file_id: "f" });
    await clock.pass(48 * HOUR_MS);
    expect(attempts).toHaveLength(MAX_WEBHOOK_ATTEMPTS);
    expect(await jobsIn(records)).toEqual([]);
    expect(warnings).toEqual(["a webhook was given up"]);
  });

  it("back off by doubling, spread over half to one and a half of it, within two days", () => {
    const delays = (random: number) =>
      Array.from({ length: MAX_WEBHOOK_ATTEMPTS - 1 }, (_, index) => retryDelayMs(index + 1, random));
    expect(delays(0.5).slice(0, 4)).toEqual([5000, 10_000, 20_000, 40_000]);
    expect(delays(0)[3]).toBe(20_000);
    expect(delays(1)[3]).toBe(60_000);
    const sum = (all: number[]) => all.reduce((total, ms) => total + ms, 0);
    expect(sum(delays(0))).toBeGreaterThan(11 * HOUR_MS);
    expect(sum(delays(1))).toBeLessThan(48 * HOUR_MS);
  });

  it("break off a receiver that takes too long", async () => {
    const clock = new HandClock();
    const reasons: unknown[] = [];
    const deliver: DeliverWebhook = (_url, _init, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      });
    const { events } = await open({ configured, clock, deliver });
    events.publish("file_deleted", { file_id: "f" });
    await clock.pass(15_000);
    expect(reasons).toEqual([expect.objectContaining({ message: "The receiver took too long" })]);
  });

  it("reach one receiver though another never answers what waits for it", async () => {
    const clock = new HandClock();
    const sent: string[] = [];
    const deliver: DeliverWebhook = (url, _init, { signal }) => {
      sent.push(url);
      if (url !== TARGET) return Promise.resolve(new Response(null, { status: 204 }));
      return untilAborted(signal);
    };
    const { events, webhooks } = await open({ configured, clock, deliver });
    await webhooks.add(`${TARGET}/other`, ["file_shared"]);
    for (let count = 0; count < 40; count += 1) events.publish("file_deleted", { file_id: `${count}` });
    await settled();
    expect(sent).toHaveLength(MAX_WEBHOOK_SENDS);
    events.publish("file_shared", { file_id: "f", name: "f", size: 1, chunks: 1 });
    // As long as one answer is waited for.
    await clock.pass(15_000);
    await settled();
    expect(sent.filter((url) => url !== TARGET)).toHaveLength(1);
  });

  it("reach one receiver though as many as are sent to at once never answer, for whom many wait", async () => {
    const clock = new HandClock();
    const sent: string[] = [];
    const deliver: DeliverWebhook = (url, _init, { signal }) => {
      sent.push(url);
      if (url === TARGET) return Promise.resolve(new Response(null, { status: 204 }));
      return untilAborted(signal);
    };
    const { events, webhooks } = await open({ clock, deliver });
    for (let count = 0; count < MAX_WEBHOOK_SENDS; count += 1)
      await webhooks.add(`${TARGET}/${count}`, ["file_deleted"]);
    await webhooks.add(TARGET, ["file_shared"]);
    for (let count = 0; count < 10; count += 1) events.publish("file_deleted", { file_id: `${count}` });
    await settled();
    events.publish("file_shared", { file_id: "f", name: "f", size: 1, chunks: 1 });
    await settled();
    expect(sent).toHaveLength(MAX_WEBHOOK_SENDS);
    // Each of them has one more turn. As long as one answer is waited for.
    for (let turn = 0; turn < 2; turn += 1) {
      await clock.pass(15_000);
      await settled();
    }
    expect(sent).toContain(TARGET);
  });

  it("survive a restart in the order of the events", async () => {
    const records = new MemoryRecords();
    const before = await open({ configured, records, deliver: neverAnswered });
    for (let count = 0; count < 12; count += 1)
      before.events.publish("file_deleted", { file_id: `${count}` });
    await eventually(async () => expect(await jobsIn(records)).toHaveLength(12));
    await before.webhooks.stop();

    const sent: string[] = [];
    const deliver: DeliverWebhook = async (_url, { body }) => {
      sent.push(JSON.parse(body).data.file_id);
      return new Response(null, { status: 204 });
    };
    await open({ configured, records, deliver });
    await queueIsEmpty(records);
    expect(sent).toEqual(Array.from({ length: 12 }, (_, index) => `${index}`));
  });

  it("take the place of none that wait since before a restart", async () => {
    const records = new MemoryRecords();
    const before = await open({ configured, records, deliver: neverAnswered });
    for (const file_id of ["a", "b"]) before.events.publish("file_deleted", { file_id });
    await eventually(async () => expect(await jobsIn(records)).toHaveLength(2));
    await before.webhooks.stop();
    const { events, webhooks } = await open({ configured, records, deliver: neverAnswered });
    for (const file_id of ["c", "d"]) events.publish("file_deleted", { file_id });
    await eventually(() => expect(webhooks.list()[0]?.waiting).toBe(4));
    expect(await jobsIn(records)).toHaveLength(4);
  });

  it("are forgotten with their webhook, those under way and those of no other", async () => {
    const records = new SlowRecords();
    const { webhooks, events, clock } = await open({ configured, records, deliver: neverAnswered });
    const { id } = await webhooks.add(`${TARGET}/other`);
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(webhooks.list().map(({ waiting }) => waiting)).toEqual([1, 1]));
    await webhooks.remove(id);
    expect(await jobsIn(records)).toHaveLength(1);
    // As long as one answer is waited for.
    await clock.pass(15_000);
    expect(webhooks.list()).toMatchObject([{ id: "settings", waiting: 1 }]);
    expect(await jobsIn(records)).toHaveLength(1);
  });

  it("are kept but for those that were taken, when all has come to rest at the end", async () => {
    const records = new SlowRecords();
    const deliver: DeliverWebhook = (_url, _init, { signal }) =>
      new Promise((resolve) => {
        const answer = () => resolve(new Response(null, { status: 204 }));
        signal.addEventListener("abort", () => setImmediate(answer));
      });
    const { webhooks, events } = await open({ configured, records, deliver });
    events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(webhooks.list()[0]?.waiting).toBe(1));
    events.publish("file_deleted", { file_id: "g" });
    await webhooks.stop();
    expect(await jobsIn(records)).toEqual(["job/0000000000000002"]);
  });

  it("are kept that come as the node stops", async () => {
    const { webhooks, events, records } = await open({ configured, records: new SlowRecords() });
    events.publish("file_deleted", { file_id: "f" });
    await webhooks.stop();
    expect(await jobsIn(records)).toHaveLength(1);
  });

  it("wait for a disk that hangs in a bounded number, with a warning of further ones", async () => {
    const records = new SlowRecords();
    const { events, warnings, webhooks } = await open({ configured, records, deliver: neverAnswered });
    for (let count = 0; count <= MAX_WEBHOOK_QUEUE; count += 1)
      events.publish("file_deleted", { file_id: `${count}` });
    expect(warnings).toEqual(["the webhook queue is full, and events are dropped"]);
    await webhooks.kept();
    const keys = await jobsIn(records);
    expect(keys).toHaveLength(MAX_WEBHOOK_QUEUE);
    expect(keys[0]).toBe("job/0000000000000001");
  });

  it("wait with one timer at most, whatever wakes them, and with none once they are stopped", async () => {
    answers.push(500, 500, 500);
    const { events, webhooks, clock } = await open({ configured });
    for (const count of [1, 2, 3]) {
      events.publish("file_deleted", { file_id: "f" });
      await arrived(count);
      await eventually(() => expect(webhooks.list()[0]?.waiting).toBe(count));
      await settled();
    }
    await eventually(() => expect(clock.sleeperCount).toBe(1));
    await webhooks.stop();
    expect(clock.sleeperCount).toBe(0);
  });

  it("are all sent of the longest folder, which begins and ends faster than they can be", async () => {
    const sent = new Set<string>();
    const deliver: DeliverWebhook = async (_url, { body }) => {
      sent.add(JSON.parse(body).data.file_id);
      return new Response(null, { status: 204 });
    };
    const { events, warnings, records } = await open({ configured, deliver });
    for (let count = 0; count < 2 * MAX_FOLDER_FILES; count += 1)
      events.publish("file_deleted", { file_id: `${count}` });
    await eventually(() => expect(sent.size).toBe(2 * MAX_FOLDER_FILES));
    await eventually(async () => expect(await jobsIn(records)).toEqual([]));
    expect(warnings).toEqual([]);
  });

  it("drop the oldest of too many, with a warning a minute", async () => {
    const { events, records, warnings, webhooks } = await open({ configured, deliver: neverAnswered });
    for (let count = 0; count < MAX_WEBHOOK_QUEUE; count += 1)
      events.publish("file_deleted", { file_id: `${count}` });
    await eventually(async () => expect(await jobsIn(records)).toHaveLength(MAX_WEBHOOK_QUEUE));
    events.publish("file_deleted", { file_id: "newest" });
    await eventually(() => expect(warnings).toEqual(["the webhook queue is full, and events are dropped"]));
    events.publish("file_deleted", { file_id: "newer" });
    await webhooks.kept();
    const keys = await jobsIn(records);
    expect(keys).toHaveLength(MAX_WEBHOOK_QUEUE);
    expect(keys[0]).toBe("job/0000000000000003");
    expect(warnings).toHaveLength(1);
  });

  it("drop what tells of peers before all else, however many come and go", async () => {
    const { events, records, webhooks } = await open({ configured, deliver: neverAnswered });
    events.publish("file_deleted", { file_id: "kept" });
    for (let count = 0; count < MAX_WEBHOOK_QUEUE - 1; count += 1)
      events.publish("peer_disconnected", { peer_id: `${count}` });
    await webhooks.kept();
    events.publish("peer_disconnected", { peer_id: "newest" });
    events.publish("file_deleted", { file_id: "last" });
    await webhooks.kept();
    const bodies: string[] = [];
    for await (const [key, job] of records.entries<{ body: string }>("webhooks"))
      if (key.startsWith("job/")) bodies.push(job.body);
    expect(bodies).toHaveLength(MAX_WEBHOOK_QUEUE);
    expect([bodies[0], bodies.at(-1)]).toEqual([
      expect.stringContaining('"kept"'),
      expect.stringContaining('"last"'),
    ]);
  });

  it("may reach private addresses only where the user allowed it", async () => {
    const allowed: boolean[] = [];
    const deliver: DeliverWebhook = async (_url, _init, { allowPrivate }) => {
      allowed.push(allowPrivate);
      return new Response(null, { status: 204 });
    };
    const own = await open({ configured: { url: "http://127.0.0.1:9/" }, deliver });
    own.events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(allowed).toEqual([true]));
    const overApi = await open({ deliver });
    await overApi.webhooks.add(TARGET);
    overApi.events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(allowed).toEqual([true, false]));
    await expect(overApi.webhooks.add("http://169.254.169.254/latest")).rejects.toMatchObject({
      status: 403,
    });
    await expect(overApi.webhooks.add("file:///etc/passwd")).rejects.toMatchObject({ status: 400 });
    for (const user of ["u:p", "u", ":p"]) {
      await expect(overApi.webhooks.add(`https://${user}@hooks.example.org/`)).rejects.toMatchObject({
        status: 400,
      });
    }
    const allowing = await open({ deliver, allowPrivate: true });
    await allowing.webhooks.add("http://127.0.0.1:9/");
    allowing.events.publish("file_deleted", { file_id: "f" });
    await eventually(() => expect(allowed).toEqual([true, false, true]));
  });

  it("keep their address as it is asked for", async () => {
    const { webhooks } = await open();
    const { url, id } = await webhooks.add("HTTPS://Receiver.example:443/a/../hook");
    expect(url).toBe("https://receiver.example/hook");
    expect((await webhooks.change(id, { url: "https://OTHER.example" })).url).toBe("https://other.example/");
  });

  it("keep the secret made for a flag's target, and take one that is no base64", async () => {
    const records = new MemoryRecords();
    const first = await open({ configured, records });
    const secret = first.webhooks.secretOf("settings");
    expect(secret).toMatch(/^whsec_[\w+/]+=*$/);
    const createdAt = new Date(first.clock.now());
    const later = new HandClock();
    later.set(60_000);
    const second = await open({ configured, records, clock: later });
    expect(second.webhooks.secretOf("settings")).toBe(secret);
    // It is the same one, whenever the node starts again.
    expect(second.webhooks.list()).toMatchObject([{ createdAt }]);
    const third = await open({ configured: { url: TARGET, secret: "my own secret, no base64!" }, records });
    third.events.publish("file_deleted", { file_id: "f" });
    await arrived(1);
    expect(received[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
  });
});
