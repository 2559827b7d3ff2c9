/** What restless-writer writes, batch by batch. */
import type { Operation } from "../../../src/vx/storage/operations.ts";

export const IDS_A_BATCH = 16;

/** Batch n adds up to 16 ids; every fourth one deletes those of the batch three before. */
export function batch(number: number): Operation[] {
  if (number % 4 === 3) return idsOf(number - 3).map((id) => ({ kind: "delete", id }));
  return idsOf(number).map((id) => ({ kind: "add", id, ...record(id) }));
}

export function idsOf(number: number): bigint[] {
  const count = 1 + (number % IDS_A_BATCH);
  return Array.from({ length: count }, (_, i) => BigInt(number * IDS_A_BATCH + i));
}

export function record(id: bigint): { vector: Float32Array; metadata: string | undefined } {
  const number = Number(id);
  const metadata =
    number % 3 === 0 ? JSON.stringify({ id: number, text: "x".repeat(number % 300) }) : undefined;
  return { vector: Float32Array.of(number, number % 7, 1), metadata };
}
