/**
 * Where a block's file stands. Called by FsBlockStore; calls node:fs to list.
 *
 *   <root>/<shard>/<cid>.<size>     one block
 *   <root>/incoming/<number>        a block being written; left over by a crash, removed at open
 *
 * cid: CIDv1 in base32, lower case. shard: its character before the last, which is evenly spread where the last
 * holds a few bits only; 32 folders take half the time to sync that 1024 do (measured). size: bytes in decimal, so that the listing alone tells
 * what is held, and a file cut short by a failing disk is known by its length.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CID } from "multiformats/cid";
import { SHARD_READS_AT_ONCE } from "./limits.ts";

export const INCOMING = "incoming";

/** A CIDv0 and its CIDv1 name the same block. */
export function keyOf(cid: CID): string {
  return cid.toV1().toString();
}

export function shardFolder(root: string, key: string): string {
  return join(root, key.slice(-2, -1));
}

export function blockPath(root: string, key: string, sizeBytes: number): string {
  return join(shardFolder(root, key), `${key}.${sizeBytes}`);
}

/** The key and size that a file name tells; undefined for a file that is not ours. */
export function parseBlockName(name: string): { key: string; sizeBytes: number } | undefined {
  const [, key, size] = /^([a-z2-7]{8,200})\.(0|[1-9]\d{0,9})$/.exec(name) ?? [];
  if (key === undefined) return undefined;
  try {
    return CID.parse(key).toV1().toString() === key ? { key, sizeBytes: Number(size) } : undefined;
  } catch {
    return undefined;
  }
}

/** Keys and sizes of all blocks under the root. */
export async function listBlocks(root: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const shards = (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && /^[a-z2-7]$/.test(entry.name))
    .map((entry) => entry.name);

  async function readShards(): Promise<void> {
    for (let shard = shards.pop(); shard !== undefined; shard = shards.pop()) {
      for (const name of await readdir(join(root, shard))) {
        const block = parseBlockName(name);
        if (block !== undefined) sizes.set(block.key, block.sizeBytes);
      }
    }
  }
  await Promise.all(Array.from({ length: SHARD_READS_AT_ONCE }, readShards));
  return sizes;
}
