/** The index whose files are frozen in tests/fixtures/formats/v1/index: what version 1 wrote, for ever. */
import type { Operation } from "../../../src/vx/storage/operations.ts";
import type { IndexFacts } from "../../../src/vx/storage/stored-index.ts";

export const KEY = "the frozen key, of thirty-two bytes or more: ü";

export const frozenFacts: IndexFacts = { dimension: 5, metric: "cosine", m: 3, efConstruction: 17 };

/** In the snapshot, and in `full.zip`. */
export const before: Operation[] = [
  add(0n, "{}"),
  add(1n, '{"name":"first"}'),
  add(2n, undefined),
  add(2n ** 64n - 1n, '{"text":"äöü €😀","tags":["a","b"]}'),
  { kind: "delete", id: 2n },
];

/** In the journal, and in `incremental.zip`. */
export const after: Operation[] = [
  add(1n, '{"name":"again"}'),
  add(7n, '{"rating":4.5}'),
  { kind: "delete", id: 0n },
];

function add(id: bigint, metadata: string | undefined): Operation {
  return { kind: "add", id, vector: Float32Array.of(Number(id % 10n), 1, -1, 0.5, 2), metadata };
}
