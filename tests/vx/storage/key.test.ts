/** Which key opens what, and headers that say how: of which kind and version, and whether encrypted. */
import { describe, expect, it } from "vitest";
import { crc32c } from "../../../src/vx/storage/crc32.ts";
import {
  checkEncrypted,
  decodeHeader,
  encodeHeader,
  type FileHeader,
  HEADER_BYTES,
} from "../../../src/vx/storage/file-header.ts";
import { fromHex, toHex } from "../../../src/vx/storage/hex.ts";
import { createKey, openKey } from "../../../src/vx/storage/key.ts";
import { MAX_KDF_ROUNDS } from "../../../src/vx/storage/limits.ts";
import { allRejected } from "../../all-rejected.ts";

const KEY = "é".repeat(16);

describe("a key", () => {
  it("opens what was made with the same text, and no other", async () => {
    const { facts } = await createKey(KEY, 1);
    expect((await openKey(KEY, facts)).facts).toEqual(facts);
    const others = [`${KEY} `, "e".repeat(32), "É".repeat(16)].map((text) => openKey(text, facts));
    others.push(openKey(KEY, { ...facts, rounds: 2 }));
    others.push(openKey(KEY, { ...facts, salt: new Uint8Array(16) }));
    await allRejected(others, { code: "encryption_key_invalid" });
  });

  it("has a salt of its own each time", async () => {
    const [one, other] = [await createKey(KEY, 1), await createKey(KEY, 1)];
    expect(one.facts.salt).not.toEqual(other.facts.salt);
    expect(one.facts.check).not.toEqual(other.facts.check);
  });

  it("has 32 bytes at least", async () => {
    await expect(createKey("k".repeat(31), 1)).rejects.toMatchObject({ code: "encryption_key_invalid" });
    expect((await createKey("k".repeat(32), 1)).facts.rounds).toBe(1);
  });

  it.each([0, MAX_KDF_ROUNDS + 1])("is not looked for by %i rounds", async (rounds) => {
    const { facts } = await createKey(KEY, 1);
    await expect(openKey(KEY, { ...facts, rounds })).rejects.toMatchObject({
      code: "encryption_key_invalid",
      message: expect.stringContaining(`${rounds} rounds`),
    });
  });

  it("is given for what is encrypted, and for nothing else", () => {
    const refused = (says: string) =>
      expect.objectContaining({ code: "encryption_key_invalid", message: expect.stringContaining(says) });
    checkEncrypted("The index", true, true);
    checkEncrypted("The index", false, false);
    expect(() => checkEncrypted("The index", true, false)).toThrow(refused("is encrypted"));
    expect(() => checkEncrypted("The index", false, true)).toThrow(refused("is not encrypted"));
  });
});

describe("a header", () => {
  const id = (byte: number) => new Uint8Array(16).fill(byte);
  const header: FileHeader = {
    kind: "journal",
    sequence: 2 ** 53 - 1,
    fileId: id(1),
    indexId: id(2),
    timeline: id(3),
    key: { rounds: 7, salt: id(4), check: id(5) },
    facts: { dimension: 300, metric: "cosine", m: 16, efConstruction: 200 },
  };

  /** With another number at that place, and the checksum of what it is then. */
  function changed(offset: number, value: bigint): Uint8Array {
    const bytes = encodeHeader(header);
    const view = new DataView(bytes.buffer);
    if (offset === 16) view.setBigUint64(offset, value, true);
    else view.setUint32(offset, Number(value), true);
    view.setUint32(HEADER_BYTES - 4, crc32c(bytes.subarray(0, HEADER_BYTES - 4)), true);
    return bytes;
  }

  it("comes back as it was written, with its key or without", () => {
    for (const one of [header, { ...header, key: undefined, sequence: 0 }]) {
      expect(decodeHeader(encodeHeader(one), "journal", "here")).toEqual(one);
    }
  });

  it.each([
    { what: "another kind", bytes: encodeHeader(header), kind: "snapshot", says: "it is no snapshot" },
    { what: "a version before the first", bytes: changed(4, 0n), says: "out of range" },
    { what: "a metric that there is not", bytes: changed(12, 2n), says: "out of range" },
    { what: "a longer number than there are", bytes: changed(16, 2n ** 53n), says: "out of range" },
    {
      what: "less bytes than it has",
      bytes: encodeHeader(header).subarray(0, HEADER_BYTES - 1),
      says: "not what was written",
    },
    {
      what: "a byte changed",
      bytes: encodeHeader(header).map((byte, i) => (i === 60 ? byte ^ 1 : byte)),
      says: "not what was written",
    },
  ] as const)("is damaged with $what", ({ bytes, says, ...other }) => {
    const kind = "kind" in other ? other.kind : "journal";
    expect(() => decodeHeader(bytes, kind, "here")).toThrow(
      expect.objectContaining({ code: "internal", message: expect.stringContaining(says) }),
    );
  });

  it("of a later version is refused by its number", () => {
    expect(() => decodeHeader(changed(4, 3n), "journal", "here")).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(/version 3/) }),
    );
  });
});

it("takes bytes from their digits alone", () => {
  const bytes = Uint8Array.of(0, 9, 16, 171, 255);
  expect(toHex(bytes)).toBe("000910abff");
  expect(fromHex("000910abff", 5)).toEqual(bytes);
  for (const wrong of ["000910abf", "000910abff00", "000910abfg", "000910ABFF", " 00910abff", 910, null]) {
    expect(fromHex(wrong, 5), String(wrong)).toBeUndefined();
  }
});
