/** The reserve that blocks leave free on their disk. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DiskRoom } from "../../../src/headless/blocks/disk-room.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

it("asks again at the next block where the disk could not tell how much is free", async () => {
  const folder = join(await temporaryFolder(), "blocks");
  const room = new DiskRoom(folder);
  await room.take(1);
  await mkdir(folder);
  await expect(room.take(Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ name: "storage_full" });
});
