/** Forms with a file, however their bytes are cut: src/api/multipart. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formBoundary, openFormFile } from "../../../src/api/multipart.ts";

/** The bytes in pieces, cut at the places given. */
async function* inPieces(bytes: Uint8Array, cuts: number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.min(bytes.length, Math.max(from, cut));
    if (to > from) yield bytes.subarray(from, to);
    from = to;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

const part = (disposition: string, bytes: Uint8Array | string) =>
  Buffer.concat([
    Buffer.from(`--B\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: text/plain\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);
const fields = (count: number) => Array.from({ length: count }, () => part('name="a"', "x"));
const end = Buffer.from("--B--\r\n");

async function readForm(form: Uint8Array, cuts: number[] = [], boundary = "B") {
  const file = await openFormFile(inPieces(form, cuts), boundary, () => {});
  const bytes = await collect(file.bytes);
  return { name: file.name(), bytes };
}

describe("multipart forms", () => {
  it.each(["", " ", "\t", "  ", " \t "])("may have %j behind a boundary", async (padding) => {
    const file = part('name="file"; filename="a"', "bytes").toString().replace("--B", `--B${padding}`);
    const form = Buffer.from(`${file}--B--${padding}\r\n`);
    for (let cut = 0; cut < 12; cut += 1) {
      expect(await readForm(form, [cut])).toEqual({ name: "a", bytes: Buffer.from("bytes") });
    }
  });

  it("give the file's bytes whatever they are and however they are cut", async () => {
    const tricky = fc.array(
      fc.constantFrom("\r", "\n", "-", "--", "\r\n", "\r\n--", "\r\n-", "B", "\0", "ÿ", "--B"),
      { maxLength: 60 },
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      tricky.map((parts) => new TextEncoder().encode(parts.join(""))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(700), { maxLength: 30 }), async (content, cuts) => {
        fc.pre(!Buffer.from(content).includes("\r\n--B"));
        const form = Buffer.concat([
          part('name="note"', "x"),
          part('name="file"; filename="f.bin"', content),
          part('name="after"', "y"),
          end,
        ]);
        const read = await readForm(form, cuts);
        expect(read.name).toBe("f.bin");
        expect(read.bytes.equals(Buffer.from(content))).toBe(true);
      }),
    );
  });

  it("give one byte at a time the same", async () => {
    const form = Buffer.concat([part('name="file"; filename="f"', "abc\r\n-"), end]);
    expect((await readForm(form, [...form.keys()])).bytes.toString()).toBe("abc\r\n-");
  });

  it("may end with their last boundary, without a line end behind it", async () => {
    const form = Buffer.concat([part('name="file"; filename="f"', "content"), Buffer.from("--B--")]);
    expect((await readForm(form)).bytes.toString()).toBe("content");
  });

  it("are refused when cut off anywhere before their end", async () => {
    const form = Buffer.concat([part('name="file"; filename="f"', "content"), end]);
    for (let length = 0; length < form.length - 2; length += 1) {
      await expect(readForm(form.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({
        name: "bad_request",
      });
    }
  });

  it("name the file by a field before or behind it, by filename*, and by escapes of a browser", async () => {
    const file = (filename: string) => part(`name="file"; ${filename}`, "x");
    const nameOf = async (...parts: Buffer[]) => (await readForm(Buffer.concat([...parts, end]))).name;
    expect(await nameOf(part('name="name"', "chosen"), file('filename="f"'))).toBe("chosen");
    expect(await nameOf(file('filename="f"'), part('name="name"', "chosen"))).toBe("chosen");
    expect(await nameOf(file('filename="f"'), part('name="name"', ""))).toBe("f");
    expect(await nameOf(file("filename*=UTF-8''%e2%82%ac.txt; filename=\"e.txt\""))).toBe("€.txt");
    expect(await nameOf(file('filename="a%22b%0D%0A.txt"'))).toBe('a"b\r\n.txt');
    expect(await nameOf(file('filename="a\\"b"'))).toBe('a"b');
  });

  it("hold no file where none was chosen, and one without a name where it has bytes or another has one", async () => {
    const notChosen = part('name="file"; filename=""', "");
    await expect(readForm(Buffer.concat([notChosen, end]))).rejects.toThrow("The form holds no file");
    const second = part('name="second"; filename="b"', "x");
    for (const form of [
      [notChosen, second, end],
      [second, notChosen, end],
    ])
      expect(await readForm(Buffer.concat(form))).toEqual({ name: "b", bytes: Buffer.from("x") });
    const nameless = await readForm(Buffer.concat([part('name="file"; filename=""', "x"), end]));
    expect(nameless.bytes.toString()).toBe("x");
    const empty = await readForm(Buffer.concat([part('name="file"; filename="empty"', ""), end]));
    expect(empty).toEqual({ name: "empty", bytes: Buffer.alloc(0) });
  });

  describe("are refused", () => {
    const file = part('name="file"; filename="f"', "x");
    const nameless = "--B\r\n\r\nx\r\n";
    const manyHeaders = file.toString().replace("\r\n\r\n", `\r\n${"X: y\r\n".repeat(5000)}\r\n`);

    it.each([
      ["with two files", [file, file], "The form holds more than one file"],
      ["without any part", [], "The form holds no file"],
      ["without a file", [part('name="a"', "x")], "The form holds no file"],
      ["with a nameless part before the file", [nameless, file], "A part of the form has no name"],
      ["with a nameless part behind the file", [file, nameless], "A part of the form has no name"],
      [
        "with a long header",
        [`--B\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, file],
        "A part of the form is too long",
      ],
      ["with long headers", [manyHeaders], "A part's headers are too long"],
      ["with a long field", [part('name="a"', "x".repeat(20_000)), file], "A part of the form is too long"],
      ["with many fields", [...fields(17), file], "The form has too many fields"],
      ["with another boundary", ["--Bx\r\n", file], "The form has a malformed boundary"],
      ["with much before the boundary", ["x".repeat(20_000), file], "A part of the form is too long"],
    ])("%s", async (_with, parts, message) => {
      const form = Buffer.concat([...parts, end].map((bytes) => Buffer.from(bytes)));
      await expect(readForm(form)).rejects.toMatchObject({ name: "bad_request", message });
    });
  });

  it("may have as many fields beside the file as are read", async () => {
    const form = Buffer.concat([...fields(16), part('name="file"; filename="f"', "x"), end]);
    expect(await readForm(form)).toEqual({ name: "f", bytes: Buffer.from("x") });
  });

  it("let go of what they come from when the file is left, or turns out to be one of two", async () => {
    const file = part('name="file"; filename="f"', "x");
    const twoFiles = Buffer.concat([file, file, end]);
    let isLeft = false;
    async function* source() {
      try {
        for (;;) yield twoFiles;
      } finally {
        isLeft = true;
      }
    }
    const left = await openFormFile(source(), "B", () => {});
    for await (const _piece of left.bytes) break;
    expect(isLeft).toBe(true);
    isLeft = false;
    const refused = await openFormFile(source(), "B", () => {});
    await expect(collect(refused.bytes)).rejects.toThrow("more than one file");
    expect(isLeft).toBe(true);
  });

  it("are known by a sound boundary", () => {
    expect(formBoundary("multipart/form-data; boundary=abc")).toBe("abc");
    expect(formBoundary('Multipart/Form-Data; charset=utf-8; boundary="a b:c"')).toBe("a b:c");
    expect(formBoundary("multipart/form-data; Boundary=abc")).toBe("abc");
    expect(formBoundary(`multipart/form-data; boundary=${"b".repeat(70)}`)).toBe("b".repeat(70));
    for (const type of [
      "multipart/form-data",
      "multipart/form-data; boundary=",
      `multipart/form-data; boundary=${"b".repeat(71)}`,
      'multipart/form-data; boundary="a\u00e9"',
      'multipart/form-data; boundary="\u00e9a"',
      "multipart/mixed; boundary=b",
      "text/plain",
    ]) {
      expect(formBoundary(type)).toBeUndefined();
    }
  });
});
