/** What is told of a transfer that ends or is cut off, and that it is kept by then. */
import { expect, it, vi } from "vitest";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Announcement, RecordCollection } from "../../../src/sharing/ports.ts";
import type { TransferRecord, TransferStatus } from "../../../src/sharing/transfers/transfer-record.ts";
import { deferred } from "../../deferred.ts";
import { eventually } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, ended, gate, Hub, type Manners, randomFile } from "./hub.ts";

/** Keeps no transfer of this status before it is let. */
class SlowRecords extends MemoryRecords {
  readonly asked = deferred();
  readonly let = deferred();
  readonly #status: TransferStatus;

  constructor(status: TransferStatus) {
    super();
    this.#status = status;
  }

  override async put<T>(collection: RecordCollection, key: string, value: T): Promise<void> {
    if (collection === "transfers" && (value as TransferRecord).status === this.#status) {
      this.asked.resolve();
      await this.let.promise;
    }
    await super.put(collection, key, value);
  }
}

const NOBODY_HAS = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";

it.each([
  ["completed", "transfer_complete"],
  ["failed", "transfer_failed"],
  ["cancelled", "transfer_cancelled"],
  ["interrupted", "transfer_interrupted"],
] as const)("one that is %s is told of once that is kept", async (status, event) => {
  const clock = new HandClock();
  const records = new SlowRecords(status);
  const { node } = await new Hub(clock).join("own", { records });
  const isTold = () => node.events.since(0).some((told) => told.event === event);
  const { file } = await node.share(bytesOf(randomFile(10)), { name: "x" });
  const { id } = await node.download({ fileId: status === "completed" ? file.id : NOBODY_HAS });
  const end = { cancelled: () => node.cancel(id), interrupted: () => node.pause(id) };
  const ending = status in end ? end[status as keyof typeof end]() : clock.passUntil(isTold);
  await records.asked.promise;
  await settled();
  expect(isTold()).toBe(false);
  records.let.resolve();
  await ending;
  expect(isTold()).toBe(true);
});

it("one that waits for a provider completes with its file's being shared here, for no reason any more", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const bytes = randomFile(2 * CHUNK_BYTES);
  const answer: Manners["answer"] = (_, block, signal) =>
    block.length < CHUNK_BYTES ? block : untilAborted(signal);
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await clock.passUntil(() => node.files().length > 0);
  seeder.leave();
  await clock.passUntil(() => node.transfer(id).status === "interrupted");
  expect(node.transfer(id).error).toBeDefined();
  await node.share(bytesOf(bytes), { name: "x" });
  await clock.passUntil(() => node.transfer(id).status === "completed");
  expect(node.transfer(id).error).toBeUndefined();
});

it("others are told of a file once it is known and once it is whole, and not with each chunk", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(4 * CHUNK_BYTES)), { name: "x" });
  const { node, announced } = await hub.join("leecher");
  const tell = vi.spyOn(announced as Map<string, Announcement>, "set");
  const { id } = await node.download({ fileId: file.id });
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(tell.mock.calls.map(([, { complete }]) => complete)).toEqual([false, true]);
});

it("a file that is here whole is noted to be so though its place was taken meanwhile, and its transfer fails", async () => {
  const hub = new Hub();
  const wall = gate();
  const answer: Manners["answer"] = async (_, block) => {
    if (block.length === CHUNK_BYTES) await wall.opened;
    return block;
  };
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(randomFile(2 * CHUNK_BYTES)), { name: "x" });
  const { node, outputs, records } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  await eventually(() => expect(node.files()).toHaveLength(1));
  outputs.set("out", new Uint8Array(1));
  wall.open();
  expect(await ended(node, id)).toBe("transfer_failed");
  expect(await records.get("files", file.id)).toMatchObject({ wasComplete: true });
});
