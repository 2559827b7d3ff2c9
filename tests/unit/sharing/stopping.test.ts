/** What is asked for as the node stops. */
import { expect, it } from "vitest";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { RecordChange } from "../../../src/sharing/ports.ts";
import { untilTrue } from "../../eventually.ts";
import { settled } from "../hand-clock.ts";
import { bytesOf, gate, Hub, randomFile } from "./hub.ts";

const turn = () => new Promise(setImmediate);

class HeldRecords extends MemoryRecords {
  hold: Promise<void> | undefined;

  isClosed = false;
  readonly tooLate: RecordChange[] = [];

  override async batch(changes: RecordChange[]): Promise<void> {
    await this.hold;
    await turn();
    if (this.isClosed) this.tooLate.push(...changes);
    await super.batch(changes);
  }
}

it("a download that is asked for just as the node stops is left to the next start", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(10)), { name: "x" });
  const records = new HeldRecords();
  const { node } = await hub.join("leecher", { records });
  const { open, opened } = gate();
  records.hold = opened;
  const asked = node.download({ fileId: file.id });
  const stopped = node.stop();
  open();
  await stopped;
  const { id } = await asked;
  expect(node.transfer(id).status).toBe("interrupted");
  expect(seeder.served).toEqual([]);
});

it("one that is asked for just as the node stops does not wait for the rest of its folder", async () => {
  const hub = new Hub();
  const records = new HeldRecords();
  const { node } = await hub.join("leecher", { records });
  const { open, opened } = gate();
  records.hold = opened;
  const rest = gate();
  const { file } = await (await hub.join("seeder")).node.share(bytesOf(randomFile(10)), { name: "x" });
  const asked = node.downloadTogether("folder", async () => {
    await node.download({ fileId: file.id, partOf: "folder" });
    await rest.opened;
  });
  let isStopped = false;
  const stopped = node.stop().then(() => {
    isStopped = true;
  });
  open();
  await untilTrue(() => node.transfers().length > 0);
  await settled();
  expect(isStopped).toBe(true);
  rest.open();
  await Promise.all([asked, stopped]);
});

it("what goes on just as the node stops asks nobody before the next start", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(10)), { name: "x" });
  const records = new HeldRecords();
  const { node, sessions } = await hub.join("leecher", { records });
  seeder.manners.isUnreachable = true;
  const { id } = await node.download({ fileId: file.id });
  await node.pause(id);
  seeder.manners.isUnreachable = false;
  const { open, opened } = gate();
  records.hold = opened;
  const resumed = node.resume(file.id);
  const stopped = node.stop();
  await settled();
  expect([sessions, seeder.served]).toEqual([[], []]);
  open();
  await Promise.all([resumed, stopped]);
  expect(node.transfer(id)).toMatchObject({ status: "interrupted", isPaused: false });
  expect(seeder.served).toEqual([]);
});

it("what was asked for before is done, and kept, when the node has stopped", async () => {
  const hub = new Hub();
  const held = gate();
  const manners = {
    answer: async (_: unknown, block: Uint8Array, signal: AbortSignal) => {
      const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
      await Promise.race([held.opened, left]);
      return block;
    },
  };
  const seeder = await hub.join("seeder", { manners });
  const { file } = await seeder.node.share(bytesOf(randomFile(2 * CHUNK_BYTES)), { name: "x" });
  const records = new HeldRecords();
  const { node, openOutputs } = await hub.join("leecher", { records });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  const { open, opened } = gate();
  records.hold = opened;
  const request = { fileId: file.id, outputPath: "elsewhere" };
  const asked = [node.pause(id), node.resume(file.id), node.pause(id), node.download(request)];
  const stopped = node.stop().then(() => {
    records.isClosed = true;
  });
  open();
  await stopped;
  for (let turns = 0; turns < 3; turns++) await turn();
  expect([await Promise.allSettled(asked), records.tooLate, openOutputs]).toMatchObject([
    [{ status: "fulfilled" }, { status: "fulfilled" }, { status: "fulfilled" }, { status: "fulfilled" }],
    [],
    [],
  ]);
  expect(node.transfers()).toMatchObject([
    { outputPath: "elsewhere", status: "interrupted", isPaused: false },
    { outputPath: "out", status: "interrupted", isPaused: true },
  ]);
});
