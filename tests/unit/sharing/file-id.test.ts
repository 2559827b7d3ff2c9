/** What a file id takes in memory: src/sharing/file-id. */
import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";
import { expect, it } from "vitest";
import { compactFileId, parseFileId } from "../../../src/sharing/file-id.ts";
import { RAW, SHA2_256 } from "../../../src/sharing/hash.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it("a file id of very many takes a few times its letters", () => {
  const count = 10_000;
  const before = heapBytes();
  const kept = Array.from({ length: count }, () =>
    compactFileId(CID.createV1(RAW, create(SHA2_256, new Uint8Array(randomBytes(32)))).bytes),
  );
  expect((heapBytes() - before) / count).toBeLessThan(400);
  for (const id of kept.slice(0, 100)) expect(parseFileId(id).toString()).toBe(id);
});
