/** The UnixFS message of a file's node, against the library that writes it right up to 2 GiB and reads it right always. */
import fc from "fast-check";
import { UnixFS } from "ipfs-unixfs";
import { describe, expect, it } from "vitest";
import { encodeUnixfsFile, readUnixfsFileSize } from "../../../src/sharing/files/unixfs-file.ts";

const GIB = 2 ** 30;

describe("the UnixFS message of a file", () => {
  it("is what the library writes below 2 GiB", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 20), { maxLength: 1024 }), (sizes) => {
        const unixfs = new UnixFS({ type: "file", blockSizes: sizes.map(BigInt) });
        expect(encodeUnixfsFile(sizes)).toEqual(new Uint8Array(unixfs.marshal()));
      }),
    );
  });

  it("is read back as it was, whatever the sizes", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 42), { maxLength: 1024 }), (sizes) => {
        const read = UnixFS.unmarshal(encodeUnixfsFile(sizes));
        expect(read.type).toBe("file");
        expect(read.blockSizes).toEqual(sizes.map(BigInt));
        expect(readUnixfsFileSize(encodeUnixfsFile(sizes))).toBe(Number(read.fileSize()));
      }),
    );
  });

  it.each([
    [[GIB, GIB, 2 ** 20 + 5], "0802188580c0800820808080800420808080800420858040"],
    [[4 * GIB - 1], "080218ffffffff0f20ffffffff0f"],
    [[4 * GIB], "0802188080808010208080808010"],
  ])("of %j is these bytes", (sizes, hex) => {
    expect(Buffer.from(encodeUnixfsFile(sizes)).toString("hex")).toBe(hex);
  });

  it.each(["directory", "symlink", "hamt-sharded-directory"] as const)(
    "of a %s tells no size of a file",
    (type) => {
      expect(readUnixfsFileSize(new UnixFS({ type }).marshal())).toBeUndefined();
    },
  );
});
