/** Transfers kept: how many of those that are not over and of those that ended, and in which order. */
import { expect, it, vi } from "vitest";
import { ENDED_TRANSFER_MS, MAX_TRANSFERS } from "../../../src/sharing/limits.ts";
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

it("of those that ended the oldest are forgotten where there are too many, on the disk too", async () => {
  const records = await kept(MAX_TRANSFERS + 2, "completed");
  const ledger = await TransferLedger.open(records, clock, log);
  const isKept = async (id: number) => (await records.get("transfers", `${id}`)) !== undefined;
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS);
  expect(() => ledger.get("1")).toThrow("Transfer not found");
  expect([await isKept(1), await isKept(2)]).toEqual([false, true]);
  await ledger.add(transfer(MAX_TRANSFERS + 2, "started"));
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS);
  expect([await isKept(2), await isKept(3)]).toEqual([false, true]);
});

it("none is forgotten where the room comes of those that ended a day ago", async () => {
  const records = await kept(MAX_TRANSFERS, "completed");
  const endedAtMs = clock.now() - ENDED_TRANSFER_MS - 1;
  for (const at of [-1, -2])
    await records.put("transfers", `${at}`, { ...transfer(at, "completed"), endedAtMs });
  const ledger = await TransferLedger.open(records, clock, log);
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS);
});

it("beside those that ended a day ago as many are forgotten as are too many", async () => {
  const records = await kept(MAX_TRANSFERS + 1, "completed");
  const endedAtMs = clock.now() - ENDED_TRANSFER_MS - 1;
  await records.put("transfers", "-1", { ...transfer(-1, "completed"), endedAtMs });
  const ledger = await TransferLedger.open(records, clock, log);
  expect(ledger.all()).toHaveLength(MAX_TRANSFERS);
});

it("what ended a day ago is not known, and goes from the disk with what is begun later", async () => {
  const records = await kept(2, "completed");
  const ledger = await TransferLedger.open(records, clock, log);
  await ledger.add({ ...transfer(2, "started"), outputPath: "there" });
  await clock.pass(ENDED_TRANSFER_MS + 1);
  expect(ledger.all().map(({ id }) => id)).toEqual(["2"]);
  expect([...ledger.ofFile("file"), ...ledger.atOutput("there")].map(({ id }) => id)).toEqual(["2", "2"]);
  await ledger.add(transfer(3, "started"));
  expect(await records.get("transfers", "0")).toBeUndefined();
});

it("one that could not be kept is not known, by its file and place either", async () => {
  const records = await kept(0, "completed");
  const ledger = await TransferLedger.open(records, clock, log);
  const full = new Error("the disk is full");
  vi.spyOn(records, "put").mockRejectedValue(full);
  await expect(ledger.add({ ...transfer(0, "started"), outputPath: "there" })).rejects.toBe(full);
  expect([ledger.all(), ledger.ofFile("file"), ledger.atOutput("there")]).toEqual([[], [], []]);
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
  await reopened.add({ ...transfer(-2, "completed"), id: "d" });
  const again = await TransferLedger.open(records, clock, log);
  expect(again.all().map(({ id }) => id)).toEqual(["d", ...started]);
});
