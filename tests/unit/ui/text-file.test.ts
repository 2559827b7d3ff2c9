/** Names of texts that were written on the page. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { textFile } from "../../../src/ui/files/text-file.ts";
import { MAX_TEXT_NAME_CHARS } from "../../../src/ui/limits.ts";

test.each([
  ["\n  Door code: 4711#\nRing twice", "Door code 4711.txt"],
  ["https://example.com/a/b?c=1", "https example.com a b c 1.txt"],
  ["../../etc/passwd", "etc passwd.txt"],
  ["Погода сегодня хорошая", "Погода сегодня хорошая.txt"],
  [
    "a line that goes on for longer than anybody wants to read in a row",
    "a line that goes on for longer than.txt",
  ],
  [`${"x".repeat(500)}`, `${"x".repeat(40)}.txt`],
  ["🎈🎈", "Text.txt"],
  ["...", "Text.txt"],
])("a text is named after its first words: %j", (text, name) => {
  expect(textFile(text).name).toBe(name);
});

test("whatever it says, it is kept as it is, and its name is one that every file system takes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      const file = textFile(text);
      expect(await file.text()).toBe(text);
      expect(file.name).not.toMatch(/[\\/:*?"<>|\p{Cc}]|^[\s.]|[\s.]\.txt$/u);
      expect([...file.name].length).toBeLessThanOrEqual(MAX_TEXT_NAME_CHARS + 4);
    }),
  );
});
