/** Webhooks kept by an earlier version, as frozen bytes, are still delivered, with the same signature. */
import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import type { DeliverWebhook } from "../../../src/api/webhooks/queue.ts";
import { openWebhooks } from "../../../src/api/webhooks/webhooks.ts";
import { createNodeEvents } from "../../../src/sharing/events.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { eventually } from "../../eventually.ts";
import { HandClock } from "../hand-clock.ts";

it("delivers what version 1 left in its queue", async () => {
  const file = new URL("../../fixtures/formats/v1/webhook-records.json", import.meta.url);
  const kept = JSON.parse(await readFile(file, "utf8")) as Record<string, object>;
  const records = new MemoryRecords();
  for (const [key, value] of Object.entries(kept)) await records.put("webhooks", key, value);
  const deliver = vi.fn<DeliverWebhook>(async () => new Response(null, { status: 204 }));
  const clock = new HandClock();
  const webhooks = await openWebhooks({
    records,
    deliver,
    clock,
    events: createNodeEvents(clock),
    log: { debug: () => {}, info: () => {}, warn: () => {} },
    configured: { url: "https://hooks.example.org/shoal" },
    allowPrivate: false,
  });
  await eventually(async () => expect(await records.get("webhooks", "job/0000000000000007")).toBeUndefined());
  await webhooks.stop();
  expect(deliver.mock.calls[0]?.slice(0, 2)).toEqual([
    "https://hooks.example.org/shoal",
    {
      method: "POST",
      redirect: "manual",
      body: '{"event":"file_deleted","timestamp":"2023-11-14T22:13:20.000Z","data":{"file_id":"f"}}',
      headers: {
        "content-type": "application/json",
        "webhook-id": "msg_5f0e3c9e-5a0e-4c8e-9d6f-0c3c7c1a2b3d",
        "webhook-timestamp": "1700000000",
        "webhook-signature": "v1,Pz38Nbw6/VbBwp74WbxuW6vpAEJD3TvKEHsox6+bUVY=",
      },
    },
  ]);
});
