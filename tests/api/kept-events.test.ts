/** What an answer says was done is told to webhooks, also by a node that is killed once it has answered: src/api/app. */
import { expect, it, onTestFinished } from "vitest";
import { openWebhooks } from "../../src/api/webhooks/webhooks.ts";
import { MemoryRecords } from "../../src/sharing/memory/memory-records.ts";
import type { RecordChange } from "../../src/sharing/ports.ts";
import { systemClock as clock } from "../../src/sharing/system-clock.ts";
import { deferred } from "../deferred.ts";
import { untilAborted } from "../until-aborted.ts";
import { createFakeNode } from "./fake-node.ts";
import { openInProcess, SILENT } from "./in-process.ts";

/** Of a disk that is slow to take what is to be delivered. */
class SlowRecords extends MemoryRecords {
  readonly asked = deferred<void>();
  readonly taken = deferred<void>();

  override async batch(changes: RecordChange[]): Promise<void> {
    if (changes.some(({ key }) => key.startsWith("job/"))) {
      this.asked.resolve();
      await this.taken.promise;
    }
    await super.batch(changes);
  }
}

it("an upload is answered once the event of it is kept, and reads wait for none", async () => {
  const records = new SlowRecords();
  const { node } = createFakeNode(clock);
  const webhooks = await openWebhooks({
    records,
    events: node.events,
    clock,
    log: SILENT,
    deliver: (_url, _init, { signal }) => untilAborted(signal),
    configured: { url: "https://hooks.example.org/shoal", events: ["file_shared"] },
    allowPrivate: false,
  });
  onTestFinished(() => webhooks.stop());
  const { call } = openInProcess({ node, webhooks });
  const headers = { "content-type": "application/octet-stream" };
  let isAnswered = false;
  const upload = call("/api/v1/files?name=a", { method: "POST", body: "a", headers }).then((response) => {
    isAnswered = true;
    return response;
  });
  await records.asked.promise;
  expect((await call("/api/v1/files")).status).toBe(200);
  expect(isAnswered).toBe(false);
  records.taken.resolve();
  expect((await upload).status).toBe(201);
  expect(await records.get("webhooks", "job/0000000000000001")).toBeDefined();
});
