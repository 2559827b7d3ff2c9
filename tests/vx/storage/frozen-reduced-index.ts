/** The index whose files are frozen in tests/fixtures/formats/v1/reduced-index: what the first version that reduced wrote. */
import type { Config } from "../../../src/vx/config.ts";
import type { Vx } from "../../../src/vx/vx.ts";

export const KEY = "the frozen key, of thirty-two bytes or more: ü";

export const frozenReduced = {
  dimension: 5,
  distance: "l2",
  hnswM: 3,
  hnswEfConstruct: 17,
  enableDimReduction: true,
  dimReductionMethod: "PCA",
  dimReductionTarget: 2,
  dimReductionMinVariance: 0.9,
  fitAfter: 9,
} satisfies Config;

/** On a plane, whose model takes it as it is but for a turn and the mean. */
export const vectorOf = (id: number) => [id, (id * id) % 7, id + ((id * id) % 7), 1, -1];

/** In the snapshot, and in `full.zip`. */
export async function writeBefore(vx: Vx): Promise<void> {
  for (let id = 0; id < 9; id++) await vx.add(id, vectorOf(id), { n: id });
  await vx.refit();
}

/** In the journal, and in `incremental.zip`. */
export async function writeAfter(vx: Vx): Promise<void> {
  await vx.add(20, vectorOf(20));
  await vx.add(1, vectorOf(30), { n: "again" });
  await vx.delete(4);
}
