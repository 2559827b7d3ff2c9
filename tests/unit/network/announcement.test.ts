/** Announcements as bytes, and bytes that are none: src/network/announcing/announcement. */
import { readFileSync } from "node:fs";
import { multiaddr } from "@multiformats/multiaddr";
import fc from "fast-check";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { describe, expect, it } from "vitest";
import {
  type AnnounceMessage,
  decodeAnnouncement,
  encodeAnnouncement,
} from "../../../src/network/announcing/announcement.ts";
import {
  encodeHeader,
  encodePage,
  readHeader,
  readPage,
} from "../../../src/network/announcing/catalogue-protocol.ts";
import { safeFileName } from "../../../src/sharing/file-name.ts";

interface Frozen {
  what: string;
  message: AnnounceMessage;
  hex: string;
}

const frozen: Frozen[] = JSON.parse(
  readFileSync(new URL("../../fixtures/formats/v1/announce.json", import.meta.url), "utf8"),
  (key, value) =>
    key === "addresses" ? (value as string[]).map((address) => multiaddr(address).bytes) : value,
);

const number = fc.maxSafeNat();
const fileId = fc
  .record({ codec: fc.constantFrom(0x55, 0x70), digest: fc.uint8Array({ minLength: 32, maxLength: 32 }) })
  .map(({ codec, digest }) => CID.createV1(codec, Digest.create(0x12, digest)).toString());
const file = fc
  .record({
    fileId,
    name: fc.string({ unit: "binary", maxLength: 300 }).map(safeFileName),
    sizeBytes: number,
    complete: fc.boolean(),
  })
  .chain((entry) =>
    fc.integer({ min: 1, max: Math.max(1, entry.sizeBytes) }).map((chunkCount) => ({ ...entry, chunkCount })),
  );
const position = { epoch: number, seq: number, revision: number };
const addresses = fc.array(fc.uint8Array({ minLength: 1, maxLength: 256 }), { maxLength: 12 });
const message: fc.Arbitrary<AnnounceMessage> = fc.oneof(
  fc.record({
    ...position,
    kind: fc.constant("add" as const),
    files: fc.array(file, { minLength: 1, maxLength: 20 }),
  }),
  fc.record({
    ...position,
    kind: fc.constant("remove" as const),
    fileIds: fc.array(fileId, { minLength: 1, maxLength: 20 }),
  }),
  fc.record({ ...position, kind: fc.constantFrom("alive" as const, "hello" as const), addresses }),
  fc.record({ ...position, kind: fc.constant("bye" as const) }),
);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const refused = expect.objectContaining({ name: "protocol_error" });

describe("announcements", () => {
  it.each(frozen)("keep the frozen bytes of $what", ({ message, hex: bytes }) => {
    expect(hex(encodeAnnouncement(message))).toBe(bytes);
    expect(decodeAnnouncement(Buffer.from(bytes, "hex"))).toEqual(message);
  });

  it("come back as they were sent, and have one encoding", () => {
    fc.assert(
      fc.property(message, (sent) => {
        const bytes = encodeAnnouncement(sent);
        const received = decodeAnnouncement(bytes);
        expect(received).toEqual(sent);
        expect(hex(encodeAnnouncement(received))).toBe(hex(bytes));
      }),
    );
  });

  it("are refused when cut at any byte or followed by one more", () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, noNaN: true }), (sent, where) => {
        const bytes = encodeAnnouncement(sent);
        const cut = bytes.slice(0, Math.floor(where * (bytes.byteLength - 1)));
        expect(() => decodeAnnouncement(cut)).toThrow(refused);
        expect(() => decodeAnnouncement(Uint8Array.of(...bytes, 0))).toThrow(refused);
      }),
    );
  });

  it("are either read or refused, whatever the bytes", () => {
    const opening = fc.constantFrom([1, 1], [1, 2], [1, 3], [1, 4], [1, 5], [], [2, 1]);
    fc.assert(
      fc.property(opening, fc.uint8Array({ maxLength: 300 }), (start, rest) => {
        try {
          decodeAnnouncement(Uint8Array.of(...start, ...rest));
        } catch (error) {
          expect(error).toEqual(refused);
        }
      }),
    );
  });

  it("with a length that claims gigabytes are refused before memory is taken", () => {
    const gigabytes = [0xff, 0xff, 0xff, 0xff, 0x0f];
    expect(() => decodeAnnouncement(Uint8Array.of(1, 1, 1, 1, 1, ...gigabytes))).toThrow(refused);
    expect(() => decodeAnnouncement(Uint8Array.of(1, 3, 1, 1, 1, 1, ...gigabytes))).toThrow(refused);
    expect(() => decodeAnnouncement(new Uint8Array(32 * 1024 + 1))).toThrow(refused);
  });

  it("carry names made safe by the receiver too", () => {
    const sent = encodeAnnouncement({
      kind: "add",
      epoch: 1,
      seq: 1,
      revision: 1,
      files: [
        {
          fileId: CID.createV1(0x55, Digest.create(0x12, new Uint8Array(32))).toString(),
          name: "a_b",
          sizeBytes: 1,
          chunkCount: 1,
          complete: true,
        },
      ],
    });
    const hostile = sent.slice();
    hostile.set(new TextEncoder().encode("../"), 6 + 36 + 1);
    const received = decodeAnnouncement(hostile);
    expect(received).toMatchObject({ files: [{ name: ".._" }] });
  });

  it("with another hash, an identity CID or more chunks than bytes are refused", () => {
    const entry = [1, 0x55, 0x12, 0x20, ...new Uint8Array(32), 1, 97];
    const add = (...bytes: number[]) => Uint8Array.of(1, 1, 1, 1, 1, 1, ...bytes);
    expect(() => decodeAnnouncement(add(...entry, 5, 1, 1))).not.toThrow();
    expect(() => decodeAnnouncement(add(...entry, 5, 6, 1))).toThrow(refused);
    expect(() => decodeAnnouncement(add(...entry, 5, 0, 1))).toThrow(refused);
    expect(() => decodeAnnouncement(add(...entry, 5, 1, 2))).toThrow(refused);
    expect(() => decodeAnnouncement(add(1, 0x55, 0x00, 0x20, ...entry.slice(4), 5, 1, 1))).toThrow(refused);
    expect(() => decodeAnnouncement(add(1, 0x71, 0x12, 0x20, ...entry.slice(4), 5, 1, 1))).toThrow(refused);
  });
});

describe("catalogue frames", () => {
  it("come back as they were sent", () => {
    const page = fc.array(file, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.record(position), page, addresses, (at, files, told) => {
        expect(readPage(encodePage(files), files.length)).toEqual(files);
        const header = readHeader(encodeHeader({ ...at, files, addresses: told }));
        expect(header).toEqual({ position: at, count: files.length, addresses: told });
      }),
    );
  });

  it("with more entries than were promised are refused", () => {
    const [one, two] = fc.sample(file, 2);
    if (one === undefined || two === undefined) throw new Error("no samples");
    expect(() => readPage(encodePage([one, two]), 1)).toThrow(refused);
    expect(() => readPage(encodePage([]), 1)).toThrow(refused);
  });
});
