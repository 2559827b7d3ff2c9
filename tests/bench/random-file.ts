/** A file of random bytes, so that no two chunks are alike. */
import { randomFillSync } from "node:crypto";
import { open } from "node:fs/promises";

const MIB = 1024 * 1024;

export async function randomFile(path: string, sizeBytes: number): Promise<string> {
  const handle = await open(path, "w");
  const piece = Buffer.alloc(MIB);
  for (let at = 0; at < sizeBytes; at += MIB) await handle.write(randomFillSync(piece));
  await handle.sync();
  await handle.close();
  return path;
}
