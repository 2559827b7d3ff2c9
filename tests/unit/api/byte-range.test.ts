/** The Range header: src/api/byte-range. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseByteRange } from "../../../src/api/byte-range.ts";

describe("byte ranges", () => {
  const size = fc.nat(1000);

  it("lie within the file", () => {
    const header = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(2000), fc.nat(2000)).map(([a, b]) => `bytes=${a}-${b}`),
      fc.nat(2000).map((a) => `bytes=-${a}`),
      fc.nat(2000).map((a) => `bytes=${a}-`),
    );
    fc.assert(
      fc.property(header, size, (text, sizeBytes) => {
        const range = parseByteRange(text, sizeBytes);
        if (typeof range === "string") return;
        expect(0 <= range.start && range.start < range.end && range.end <= sizeBytes).toBe(true);
      }),
    );
  });

  it("are the bytes asked for, as far as there are any", () => {
    fc.assert(
      fc.property(size, fc.nat(1500), fc.nat(1500), (sizeBytes, first, length) => {
        const bytes = [...Array(sizeBytes).keys()];
        const range = parseByteRange(`bytes=${first}-${first + length}`, sizeBytes);
        const wanted = bytes.filter((at) => at >= first && at <= first + length);
        if (wanted.length === 0) expect(range).toBe("outside");
        else expect(range).toEqual({ start: wanted[0], end: (wanted.at(-1) ?? 0) + 1 });
      }),
    );
  });

  it.each([
    ["bytes=0-0", 10, { start: 0, end: 1 }],
    ["Bytes=2-", 10, { start: 2, end: 10 }],
    [" bytes=2-99 ", 10, { start: 2, end: 10 }],
    ["bytes=10-", 10, "outside"],
    ["bytes=-3", 10, { start: 7, end: 10 }],
    ["bytes=-99", 10, { start: 0, end: 10 }],
    ["bytes=-0", 10, "outside"],
    ["bytes=-1", 0, "outside"],
    ["bytes=0-", 0, "outside"],
  ])("of %j in %i bytes are %j", (header, sizeBytes, range) => {
    expect(parseByteRange(header, sizeBytes)).toEqual(range);
  });

  it.each([
    null,
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=1-2,4-5",
    "bytes=2-1",
    "items=0-1",
    "xbytes=0-1",
    "bytes=0-1x",
    "bytes=0x1-2",
  ])("take no notice of %j", (header) => {
    expect(parseByteRange(header, 10)).toBe("whole");
  });
});
