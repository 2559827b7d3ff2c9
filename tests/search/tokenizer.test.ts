/** The unigram tokenizer against the pieces of the built-in model: src/search/embedding/tokens. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TEXT_CHARS } from "../../src/search/embedding/limits.ts";
import { openBuiltInTokenizer } from "../../src/search/embedding/model/built-in.ts";
import { normalize, type Piece, UnigramTokenizer } from "../../src/search/embedding/tokens/unigram.ts";
import { piecesJson } from "../../src/search/model/build/pieces.ts";

const pieces: Piece[] = JSON.parse(piecesJson);
const tokenizer = openBuiltInTokenizer();
const textOf = (ids: readonly number[]) => ids.map((id) => pieces[id]?.[0]).join("");
const UNKNOWN = 0;

describe("the unigram tokenizer of the model", () => {
  it("cuts texts as the original does", async () => {
    const { texts } = JSON.parse(
      await readFile(join(import.meta.dirname, "fixtures/reference.json"), "utf8"),
    ) as { texts: { text: string; ids: number[] }[] };
    for (const { text, ids } of texts) expect(tokenizer.encode(text)).toEqual(ids);
  });

  it("cuts a known sentence into known pieces", () => {
    const cut = tokenizer.encode("Sharing files without a server").map((id) => pieces[id]?.[0]);
    expect(cut).toEqual(["▁Shar", "ing", "▁files", "▁without", "▁a", "▁server"]);
  });

  it("takes any white space for one space, and forms of a letter for the letter", () => {
    const ids = tokenizer.encode("two words");
    expect(tokenizer.encode(" \n two\t\r\n words ")).toEqual(ids);
    expect(tokenizer.encode("ｔｗｏ words")).toEqual(ids);
  });

  it("gives back the text of all that it knows", () => {
    const letters = fc.string({
      unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJ .,'-0123456789\n"),
      maxLength: 200,
    });
    fc.assert(
      fc.property(letters, (text) => {
        const ids = tokenizer.encode(text);
        expect(ids).not.toContain(UNKNOWN);
        expect(textOf(ids)).toBe(normalize(text));
      }),
    );
  });

  it("takes any text, and stands runs of what it does not know for one piece", () => {
    fc.assert(
      fc.property(fc.uint16Array({ maxLength: 300 }), (units) => {
        const text = String.fromCharCode(...units);
        const ids = tokenizer.encode(text);
        expect(ids.every((id, at) => id < pieces.length && (id !== UNKNOWN || ids[at + 1] !== UNKNOWN))).toBe(
          true,
        );
      }),
    );
    expect(tokenizer.encode("\ud800\udc00\ud800 \udfff")).toContain(UNKNOWN);
    expect(tokenizer.encode("")).toEqual([]);
  });

  it("finds the likeliest of all cuts", () => {
    const known: Piece[] = [
      ...Array.from({ length: 6 }, (_, id): Piece => [`<${id}>`, 0]),
      ...([
        ["▁", -3],
        ["a", -2],
        ["b", -2.5],
        ["ab", -3.1],
        ["ba", -4],
        ["aba", -5.2],
        ["▁a", -3.5],
      ] as Piece[]),
    ];
    const small = new UnigramTokenizer(known, 128);
    const scoreOf = (ids: readonly number[]) => ids.reduce((sum, id) => sum + (known[id]?.[1] ?? 0), 0);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 9 }), (text) => {
        expect(scoreOf(small.encode(text))).toBeCloseTo(bestScore(known.slice(6), `▁${text}`), 6);
      }),
    );
  });

  it("looks at the beginning of an endless text alone", () => {
    const word = "x".repeat(MAX_TEXT_CHARS);
    expect(tokenizer.encode(word.repeat(100))).toEqual(tokenizer.encode(word));
    // One character that stands for eighteen.
    expect(tokenizer.encode("\ufdfa".repeat(MAX_TEXT_CHARS)).length).toBeLessThanOrEqual(MAX_TEXT_CHARS + 1);
  });
});

/** By trying every cut. */
function bestScore(known: readonly Piece[], text: string): number {
  if (text === "") return 0;
  const fitting = known.filter(([piece]) => text.startsWith(piece));
  return Math.max(
    ...fitting.map(([piece, score]) => score + bestScore(known, text.slice(piece.length))),
    Number.NEGATIVE_INFINITY,
  );
}
