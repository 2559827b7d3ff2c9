/** IdbRecords under the contract of records, in a real browser. */
import { expect, it, onTestFinished, vi } from "vitest";
import { openIdbRecords } from "../../src/browser/records/idb-records.ts";
import { recordsContract } from "./records.ts";

recordsContract(() => openIdbRecords(crypto.randomUUID()));

it("writes in one transaction what comes while another is under way, each of which is a sync of the disk", async () => {
  const records = await openIdbRecords(crypto.randomUUID());
  onTestFinished(() => records.close());
  const transaction = vi.spyOn(IDBDatabase.prototype, "transaction");
  onTestFinished(() => transaction.mockRestore());
  const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
  await Promise.all(keys.map((key, i) => records.put("transfers", key, i)));
  expect(transaction).toHaveBeenCalledTimes(2);
  expect(await records.get("transfers", "key 99")).toBe(99);
});

it("refuses, once closed, what waits for a write that is under way", async () => {
  const name = crypto.randomUUID();
  const records = await openIdbRecords(name);
  await records.put("files", "one", "before");
  const writing = records.put("files", "other", 1);
  const waiting = records.put("files", "one", "after");
  await Promise.all([
    records.close(),
    expect(waiting).rejects.toMatchObject({ name: "stopped" }),
    Promise.allSettled([writing]),
  ]);
  const reopened = await openIdbRecords(name);
  onTestFinished(() => reopened.close());
  expect(await reopened.get("files", "one")).toBe("before");
});
