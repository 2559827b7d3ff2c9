/** Answers of the index as JSON: what they say, and that a long one is written in turns and goes out in pieces. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jsonPieces } from "../../../src/api/vx/json-pieces.ts";
import { JSON_PIECE_CHARS } from "../../../src/api/vx/limits.ts";
import { arraysTexts, arrayTexts, objectTexts, resultText, rowText } from "../../../src/api/vx/results.ts";
import { nextTurn } from "../../../src/vx/turns.ts";

const { signal } = new AbortController();

const written = (texts: Iterable<string>) => [...texts].join("");

describe("answers of the index", () => {
  it("are written result by result", () => {
    const results = Array.from({ length: 100 }, (_, id) => ({ id, distance: id / 8, metadata: { n: [id] } }));
    expect([...arrayTexts(results, resultText)]).toHaveLength(101);
    expect(written(arrayTexts(results, resultText))).toBe(JSON.stringify(results));
    const scored = results.map((result) => ({ ...result, score: -0.5 }));
    expect(JSON.parse(written(arrayTexts(scored, resultText)))).toEqual(scored);
    const lists = [results, [], results];
    expect(written(arraysTexts(lists, resultText))).toBe(JSON.stringify(lists));
  });

  it("are written row by row", () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({
      n,
      'a "name"': null,
      text: "\u2028",
      real: n / 8,
    }));
    expect([...arrayTexts(rows, rowText)]).toHaveLength(101);
    expect(written(arrayTexts(rows, rowText))).toBe(JSON.stringify(rows));
    expect(written(arrayTexts([{ n: 2n ** 60n }], rowText))).toBe('[{"n":1152921504606846976}]');
    expect(written(objectTexts("rows", arrayTexts([], rowText), ',"more":true'))).toBe(
      '{"rows":[],"more":true}',
    );
  });

  it("go out in pieces of bytes where they are long, and say how long they are", async () => {
    const row = { text: "\u{1f600}".repeat(1000) };
    const rows = Array(500).fill(row);
    const answer = await jsonPieces(arrayTexts(rows, rowText), signal);
    const whole = Buffer.from(JSON.stringify(rows));
    expect(answer.headers.get("content-length")).toBe(String(whole.length));
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    const most = (JSON_PIECE_CHARS + JSON.stringify(row).length + 1) * 3;
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most);
    const short = await jsonPieces(["[", "1]"], signal);
    expect([short.headers.get("content-length"), await short.json()]).toEqual([null, [1]]);
  });

  it("let others have their turn while they are written", async () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 20));
    onTestFinished(() => clock.mockRestore());
    let turns = 0;
    function* texts() {
      for (let text = 0; text < 10; text++) {
        void nextTurn().then(() => turns++);
        yield String(text);
      }
      expect(turns).toBeGreaterThanOrEqual(9);
    }
    expect(await (await jsonPieces(texts(), signal)).text()).toBe("0123456789");
  });

  it("break off where their reader is gone", async () => {
    const ending = new AbortController();
    const answer = await jsonPieces(Array(5).fill("x".repeat(JSON_PIECE_CHARS)), ending.signal);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).value).toHaveLength(JSON_PIECE_CHARS);
    ending.abort(new Error("gone"));
    await expect(reader.read()).rejects.toThrow("gone");
  });
});
