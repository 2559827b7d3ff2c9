/** Rankings joined and cut: as many as are asked for, each with what is its own. */
import { describe, expect, it } from "vitest";
import { best, pageOf } from "../../../src/vx/engine/ranking.ts";

function ranking(ids: bigint[]) {
  return {
    ids: BigUint64Array.from(ids),
    distances: Float32Array.from(ids, Number),
    scores: Float32Array.from(ids, (id) => -Number(id)),
  };
}

describe("rankings joined", () => {
  const byDistance = ({ distances }: { distances: Float32Array }, i: number) => -(distances[i] as number);

  it("give the k best of all, in their order, with distances and scores", () => {
    const rankings = [ranking([1n, 4n, 6n]), ranking([2n, 3n, 9n])];
    expect(best(4, rankings, byDistance)).toEqual(ranking([1n, 2n, 3n, 4n]));
  });

  it("count nothing that is left out", () => {
    const rankings = [ranking([1n, 2n]), ranking([2n, 5n])];
    const leaveOut = (of: object, i: number) => of === rankings[0] && i === 1;
    expect(best(3, rankings, byDistance, leaveOut)).toEqual(ranking([1n, 2n, 5n]));
  });

  it("have no scores where one of them has none", () => {
    const { ids, distances } = ranking([1n]);
    expect(best(2, [{ ids, distances }, ranking([2n])], byDistance)).not.toHaveProperty("scores");
  });
});

describe("a page of a ranking", () => {
  const whole = ranking([10n, 11n, 12n, 13n, 14n]);
  const page = (page: number, pageSize?: number) =>
    pageOf(whole, { k: 5, page, ...(pageSize && { pageSize }) }, (i) => `text ${i}`);

  it.each<[number, number | undefined, number[]]>([
    [1, undefined, [0, 1, 2, 3, 4]],
    [1, 2, [0, 1]],
    [2, 2, [2, 3]],
    [3, 2, [4]],
    [4, 2, []],
    [2, undefined, []],
    [1, 9, [0, 1, 2, 3, 4]],
    [2 ** 53 - 1, 2 ** 53 - 1, []],
  ])("%i of size %s has ids, distances, scores and texts of its own", (number, size, places) => {
    expect(page(number, size)).toEqual({
      ids: BigUint64Array.from(places, (i) => whole.ids[i] as bigint),
      distances: Float32Array.from(places, (i) => whole.distances[i] as number),
      scores: Float32Array.from(places, (i) => whole.scores[i] as number),
      metadata: places.map((i) => `text ${i}`),
    });
  });
});
