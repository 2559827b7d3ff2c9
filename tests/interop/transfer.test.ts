import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ShoalProcess, Shoals, transferEnd } from "./shoal-process.ts";

const MIB = 1024 * 1024;

async function shareRandom(node: ShoalProcess, sizeBytes: number, name = "file.bin") {
  const bytes = randomBytes(sizeBytes);
  const path = join(node.folder, "shared", name);
  await writeFile(path, bytes);
  return { ...(await node.client.share(path)), bytes };
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("two shoal processes", () => {
  it("bring a file from one to the other, equal to the byte", async () => {
    await using shoals = new Shoals();
    const seeder = await shoals.start();
    const { file_id, bytes } = await shareRandom(seeder, 64 * MIB + 123);
    const leecher = await shoals.start({ bootstrap: [seeder] });
    const { transfer_id, status } = await leecher.client.download({ file_id, output_path: "copy.bin" });
    expect(status).toBe("started");
    const end = await transferEnd(leecher, transfer_id);
    expect(end).toMatchObject({ status: "completed", progress: 1 });
    const copy = await readFile(join(leecher.folder, "downloads", "copy.bin"));
    expect(sha256(copy)).toBe(sha256(bytes));
    expect((await seeder.client.systemStats()).network.total_uploaded).toBeGreaterThanOrEqual(bytes.length);
  });
});
