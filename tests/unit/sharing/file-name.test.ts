/** Any text as a name that is safe to show and to write: src/sharing/file-name. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeFileName, UNNAMED } from "../../../src/sharing/file-name.ts";
import { MAX_NAME_BYTES } from "../../../src/sharing/limits.ts";

const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 600 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc
    .array(
      fc.constantFrom("..", "/", "\\", "\0", "\u202e", "\ud800", " ", ".", "a", "😀", "\u2066", "\r\n"),
      {
        maxLength: 300,
      },
    )
    .map((parts) => parts.join("")),
);

describe("safeFileName", () => {
  it("gives at most MAX_NAME_BYTES of well-formed UTF-8 for any text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const name = safeFileName(text);
        const bytes = new TextEncoder().encode(name);
        expect(bytes.byteLength).toBeLessThanOrEqual(MAX_NAME_BYTES);
        expect(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toBe(name);
      }),
    );
  });

  it("leaves no separator, control or change of direction in any text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const name = safeFileName(text);
        expect(name).not.toMatch(/[/\\\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
        expect(["", ".", ".."]).not.toContain(name);
        expect(name).toBe(name.trim());
      }),
    );
  });

  it("gives a safe name back unchanged", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = safeFileName(text);
        expect(safeFileName(once)).toBe(once);
      }),
    );
  });

  it("keeps ordinary names of any script", () => {
    for (const name of ["report.pdf", ".profile", "Übergrößen.txt", "ファイル.zip", "👩‍👩‍👧.png", "a  b.c"]) {
      expect(safeFileName(name)).toBe(name);
    }
  });

  it("turns a path into one flat name", () => {
    expect(safeFileName("../../etc/passwd")).toBe(".._.._etc_passwd");
    expect(safeFileName("C:\\windows\\system32")).toBe("C:_windows_system32");
  });

  it("takes the right-to-left override out of a disguised extension", () => {
    expect(safeFileName("invoice\u202efdp.exe")).toBe("invoicefdp.exe");
  });

  it("names what has no name left", () => {
    for (const text of [
      "",
      "..",
      ". . .",
      "\0\0",
      "\u202e",
      "   ",
      "\u200d\u200c \u200d",
      "\u3164",
      "\u00ad\u2800\ufe0f",
    ])
      expect(safeFileName(text)).toBe(UNNAMED);
  });

  it("keeps the extension of a name that is too long, where it has one", () => {
    expect(safeFileName(`${"a".repeat(240)}.txt`)).toBe(`${"a".repeat(236)}.txt`);
    expect(safeFileName(`${"ф".repeat(5000)}.tar.gz `)).toBe(`${"ф".repeat(118)}.gz`);
    expect(safeFileName(`${"a".repeat(300)}.${"b".repeat(17)}`)).toBe("a".repeat(240));
    expect(safeFileName(`${"a".repeat(300)}.to be continued`)).toBe("a".repeat(240));
  });

  it("cuts between code points and never inside one", () => {
    expect(safeFileName(`a${"😀".repeat(100)}`)).toBe(`a${"😀".repeat(59)}`);
  });
});
