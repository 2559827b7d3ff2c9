/** Answers of the index as JSON text: what they say, and that a long one is written in turns. */
import { describe, expect, it } from "vitest";
import { listsText, resultsText, rowsText } from "../../../src/api/vx/results.ts";

function written(turns: Generator<void, string>): { text: string; turns: number } {
  for (let count = 0; ; count++) {
    const next = turns.next();
    if (next.done) return { text: next.value, turns: count };
  }
}

describe("answers of the index", () => {
  it("are written in turns of a result each", () => {
    const results = Array.from({ length: 100 }, (_, id) => ({ id, distance: id / 8, metadata: { n: [id] } }));
    expect(written(resultsText(results))).toEqual({ text: JSON.stringify(results), turns: 100 });
    const scored = results.map((result) => ({ ...result, score: -0.5 }));
    expect(JSON.parse(written(resultsText(scored)).text)).toEqual(scored);
    const lists = [results, [], results];
    expect(written(listsText(lists))).toEqual({ text: JSON.stringify(lists), turns: 200 });
  });

  it("are written in turns of a row each", () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({
      n,
      'a "name"': null,
      text: "\u2028",
      real: n / 8,
    }));
    expect(written(rowsText(rows))).toEqual({ text: JSON.stringify(rows), turns: 100 });
    expect(written(rowsText([{ n: 2n ** 60n }])).text).toBe('[{"n":1152921504606846976}]');
  });
});
