/** Transfers kept: how many of those that are not over and of those that ended, and in which order. */
import { expect, it } from "vitest";
import { MAX_TRANSFERS } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { TransferLedger } from "../../../src/sharing/transfers/transfer-ledger.ts";
import type { TransferRecord, TransferStatus } from "../../../src/sharing/transfers/transfer-record.ts";
import { HandClock } from "../hand-clock.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {} };
const clock = new HandClock();

/** The first began first. */
function transfer(at: number, status: TransferStatus): TransferRecord {
  return {
    id: `${at}`,
    fileId: "file",
    name: "x",
    overwrite: false,
    maxPeers: 1,
    strategy: "rarest_first",
    status,
    isPaused: false,
    progress: 0,
    chunksByPeer: [],
    startedAtMs: clock.now() + at,
    ...(status === "completed" && { endedAtMs: clock.now() }),
  };
}

async function kept(count: number, status: TransferStatus): Promise<MemoryRecords> {
  const records = new MemoryRecords();
  for (let at = 0; at < count; at++) await records.put("transfers", `${at}`, transfer(at, status));
  return records;
}

it("one more than may be active is refused, and not kept", async () => {
  const records = await kept(MAX_TRANSFERS, "interrupted");
  const ledger = await TransferLedger.open(records, clock, log);
  const added = ledger.add(transfer(MAX_TRANSFERS, "started"));
  await expect(added).rejects.toMatchObject({
    name: "wrong_state",
    message: expect.stringContaining("wait until some have ended"),
  });
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS);
  expect(await records.get("transfers", `${MAX_TRANSFERS}`)).toBeUndefined();
});

it("as many may have ended, of which the oldest are forgotten, on the disk too", async () => {
  const records = await kept(MAX_TRANSFERS + 2, "completed");
  const ledger = await TransferLedger.open(records, clock, log);
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS);
  expect(() => ledger.get("1")).toThrow("Transfer not found");
  expect([await records.get("transfers", "1"), await records.get("transfers", "2")]).toEqual([
    undefined,
    ledger.get("2"),
  ]);
  await ledger.add(transfer(MAX_TRANSFERS + 2, "started"));
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS + 1);
});

it("they come in the order of their start after a restart, whatever the clock told", async () => {
  const records = await kept(2, "completed");
  const ledger = await TransferLedger.open(records, clock, log);
  // Of one millisecond, and of a clock that was set back; ids in no order.
  for (const [id, at] of [
    ["c", 5],
    ["a", 5],
    ["b", -1],
  ] as const)
    await ledger.add({ ...transfer(at, "completed"), id });
  const started = ["b", "a", "c", "1", "0"];
  expect(ledger.all().map(({ id }) => id)).toEqual(started);
  const reopened = await TransferLedger.open(records, clock, log);
  expect(reopened.all().map(({ id }) => id)).toEqual(started);
  await reopened.add({ ...transfer(0, "completed"), id: "d" });
  const again = await TransferLedger.open(records, clock, log);
  expect(again.all().map(({ id }) => id)).toEqual(["d", ...started]);
});
