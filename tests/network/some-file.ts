/** An announcement of a file that needs no bytes: its id is the hash of its name. */
import { createHash } from "node:crypto";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import type { Announcement } from "../../src/sharing/ports.ts";

export function someFile(name: string, more: Partial<Announcement> = {}): Announcement {
  const digest = Digest.create(0x12, createHash("sha256").update(name).digest());
  const fileId = CID.createV1(0x55, digest).toString();
  return { fileId, name, sizeBytes: 1234, chunkCount: 1, complete: true, ...more };
}
