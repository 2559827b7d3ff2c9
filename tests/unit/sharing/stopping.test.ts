import { expect, it } from "vitest";
import { MemoryRecords } from "../../../src/sharing/memory-records.ts";
import type { RecordChange } from "../../../src/sharing/ports.ts";
import { bytesOf, Hub, randomFile } from "./hub.ts";

class HeldRecords extends MemoryRecords {
  hold: Promise<void> | undefined;

  override async batch(changes: RecordChange[]): Promise<void> {
    await this.hold;
    await super.batch(changes);
  }
}

it("a download that is asked for just as the node stops is left to the next start", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(10)), { name: "x" });
  const records = new HeldRecords();
  const { node } = await hub.join("leecher", { records });
  let release = () => {};
  records.hold = new Promise((resolve) => {
    release = resolve;
  });
  const asked = node.download({ fileId: file.id });
  await node.stop();
  release();
  const { id } = await asked;
  await expect.poll(() => node.transfer(id).status).toBe("interrupted");
  expect(seeder.served).toEqual([]);
});
