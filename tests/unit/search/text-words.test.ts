/** Words of whole texts: how they are kept, which files they find, and how these stand among others. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TEXT_WORDS } from "../../../src/search/limits.ts";
import { nameWords } from "../../../src/search/names/words.ts";
import {
  decodeHashes,
  encodeHashes,
  NO_WORDS,
  TextWords,
  wordHashes,
} from "../../../src/search/text-words.ts";
import { joinWords } from "../../../src/search/word-ranking.ts";

const all = () => true;

function textsOf(files: Record<string, string>): TextWords {
  const texts = new TextWords();
  for (const [fileId, text] of Object.entries(files)) texts.set(fileId, wordHashes(text));
  return texts;
}

describe("the hashes of a text's words", () => {
  it("are a stored format", () => {
    expect(encodeHashes(wordHashes("Tomatoes need sun, and Müller's water: 你好"))).toBe(
      "sXf5DKbCKQ9MOx0sEJrGSe2L6nJmcbzX8/+M32E/TuC/mV/lgkUM9qitSfg=",
    );
  });

  it("come back as they were, in ascending order, each once, and no more than there is room for", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), (text) => {
        const words = wordHashes(text);
        expect(words.length).toBeLessThanOrEqual(nameWords(text, MAX_TEXT_WORDS).length);
        expect([...words]).toEqual([...new Set(words)].sort((a, b) => a - b));
        expect(decodeHashes(encodeHashes(words))).toEqual(words);
      }),
    );
    const unspaced = Array.from({ length: 8000 }, (_, at) => String.fromCharCode(0x4e00 + at)).join("");
    expect(wordHashes(unspaced)).toHaveLength(MAX_TEXT_WORDS);
  });
});

describe("files by the words of their texts", () => {
  it("have every telling word of the query, whatever its case and diacritics", () => {
    const texts = textsOf({
      letter: "Dear Mrs. Kowalczyk, the bridge in Łódź is shut",
      minutes: "The bridge",
      chinese: "我们在里斯本坐船",
      mixed: "下次会议在2024年8月用zoom开",
    });
    expect(texts.find("the lodz BRIDGE", all)).toEqual(["letter"]);
    expect(texts.find("bridge", all)).toEqual(["letter", "minutes"]);
    expect(texts.find("Kowalczyk's bridge", all)).toEqual(["letter"]);
    expect(texts.find("bridge", (fileId) => fileId === "minutes")).toEqual(["minutes"]);
    expect(texts.find("bridge of sighs", all)).toEqual([]);
    expect(texts.find("bridg", all)).toEqual([]);
    expect(texts.find("里斯本", all)).toEqual(["chinese"]);
    expect(texts.find("2024年8月 Zoom", all)).toEqual(["mixed"]);
  });

  it("are none for a query of words that any text has, or of none", () => {
    const texts = textsOf({ letter: "what you have is with me" });
    expect(texts.find("what have you", all)).toEqual([]);
    expect(texts.find(" … ", all)).toEqual([]);
  });

  it("are found no more once they are gone, or have other words", () => {
    const texts = textsOf({ a: "bridge", b: "bridge", c: "bridge" });
    texts.delete("a");
    texts.set("b", wordHashes("boat"));
    texts.set("c", NO_WORDS);
    expect(texts.find("bridge", all)).toEqual([]);
    expect(texts.find("boat", all)).toEqual(["b"]);
  });

  it("stand behind those whose beginning has all words, nearest by meaning first, before those whose beginning has some", () => {
    const excerpts = [
      { fileId: "some", coverage: 0.5 },
      { fileId: "half", coverage: 0.5 },
      { fileId: "beginning", coverage: 1 },
    ];
    const near = [{ fileId: "near" }, { fileId: "half" }];
    expect(joinWords(excerpts, ["far", "beginning", "half", "b", "near"], near)).toEqual([
      { fileId: "beginning", coverage: 1 },
      { fileId: "near", coverage: 1 },
      { fileId: "half", coverage: 1 },
      { fileId: "b", coverage: 1 },
      { fileId: "far", coverage: 1 },
      { fileId: "some", coverage: 0.5 },
    ]);
  });
});
