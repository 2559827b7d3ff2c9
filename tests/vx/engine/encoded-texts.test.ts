/** Texts that cross threads as bytes: src/vx/engine/encoded-texts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { EncodedTextsWriter, encodedTexts, textsIn } from "../../../src/vx/engine/encoded-texts.ts";
import { MAX_METADATA_BYTES } from "../../../src/vx/storage/limits.ts";

/** As in storage/limits: a third of the bytes, for a character takes three at most. */
const MOST_CHARACTERS = Math.floor(MAX_METADATA_BYTES / 3);

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const wellFormed = fc.string({ unit: "binary" });

it("gives back what was put in, each by itself, an empty text and none apart", () => {
  fc.assert(
    fc.property(fc.array(fc.option(wellFormed, { nil: undefined })), (given) => {
      const texts = encodedTexts(given);
      if (given.every((text) => text === undefined)) expect(texts).toBeUndefined();
      else expect([...textsIn(texts as never)].map((bytes) => bytes && decoder.decode(bytes))).toEqual(given);
    }),
  );
});

it("refuses a text that is too long before it takes room for it", () => {
  expect(() => encodedTexts(["x".repeat(MOST_CHARACTERS + 1)])).toThrow(
    `Metadata may have ${MOST_CHARACTERS} characters`,
  );
});

it("refuses texts that together are longer than a batch may be, as soon as they are", () => {
  const texts = new EncodedTextsWriter(1_000_000, 1000);
  const text = "x".repeat(100);
  for (let row = 0; row < 10; row++) texts.add(text);
  texts.add(undefined);
  expect(() => texts.add("x")).toThrow("One batch may take 1000 bytes");
});
