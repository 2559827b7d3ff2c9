/** Messages of the exchange as bytes, and bytes that are none: src/exchange/wire. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FIELD_PIECE_BYTES,
  MAX_BLOCK_BYTES,
  MAX_CONTROL_BYTES,
  MAX_DATA_BYTES,
  MAX_FRAME_BYTES,
  MAX_HAVE_INDEXES,
  TICKET_BYTES,
} from "../../../src/exchange/limits.ts";
import { SendBuffer } from "../../../src/exchange/serving/send-buffer.ts";
import { SendMemory } from "../../../src/exchange/serving/send-memory.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import { encodeDataHeader, encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { MAX_VARINT, writeVarint } from "../../../src/exchange/wire/varint.ts";
import { MAX_CHUNKS } from "../../../src/sharing/limits.ts";

interface Frozen {
  messages: { message: { type: string }; hex: string }[];
  data: { requestId: number; payloadHex: string; hex: string };
}
const frozenUrl = new URL("../../fixtures/formats/v1/exchange-messages.json", import.meta.url);
const frozen = JSON.parse(readFileSync(frozenUrl, "utf8")) as Frozen;

type Seen = Message | { type: "data"; requestId: number; bytes: Uint8Array };

const id = fc.integer({ min: 0, max: MAX_VARINT });
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** Never of more chunks than one message may tell of. */
const runs = fc
  .array(fc.record({ gap: fc.nat(100), count: fc.integer({ min: 1, max: MAX_HAVE_INDEXES / 128 }) }), {
    minLength: 1,
    maxLength: 100,
  })
  .map((steps) => {
    let end = 0;
    return steps.map(({ gap, count }) => {
      const start = end + gap;
      end = start + count;
      return { start, count };
    });
  });
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    type: fc.constant("want" as const),
    requestId: id,
    priority: fc.constantFrom(0 as const, 1 as const, 2 as const),
    maxBytes: fc.integer({ min: 0, max: MAX_BLOCK_BYTES }),
    codec: id,
    digest,
  }),
  fc.record({
    type: fc.constant("watch" as const),
    watchId: id,
    chunkCount: fc.integer({ min: 1, max: MAX_CHUNKS }),
    codec: id,
    digest,
  }),
  fc.record({
    type: fc.constantFrom("cancel" as const, "missing" as const, "cancelled" as const, "unposted" as const),
    requestId: id,
  }),
  fc.record({
    type: fc.constant("priority" as const),
    requestId: id,
    priority: fc.constantFrom(0 as const, 1 as const, 2 as const),
  }),
  fc.record({
    type: fc.constant("block" as const),
    requestId: id,
    sizeBytes: fc.integer({ min: 0, max: MAX_BLOCK_BYTES }),
  }),
  fc.record({ type: fc.constantFrom("unwatch" as const, "watch_end" as const), watchId: id }),
  fc.record({ type: fc.constant("have_all" as const), watchId: id }),
  fc.record({ type: fc.constant("have_none" as const), watchId: id }),
  fc.record({
    type: fc.constant("have_field" as const),
    watchId: id,
    offsetBytes: fc.integer({ min: 0, max: MAX_CHUNKS / 8 }),
    bits: fc.uint8Array({ minLength: 1, maxLength: 200 }),
  }),
  fc.record({ type: fc.constant("have_runs" as const), watchId: id, runs }),
  fc.record({
    type: fc.constantFrom("ticket" as const, "post_ticket" as const),
    ticket: fc.uint8Array({ minLength: TICKET_BYTES, maxLength: TICKET_BYTES }),
  }),
  fc.record({
    type: fc.constantFrom(
      "ticket_ask" as const,
      "side_begin" as const,
      "side_end" as const,
      "side_open" as const,
      "post_ask" as const,
    ),
  }),
);

const FILE = { codec: 0x55, digest: new Uint8Array(32) };
const WANT = { type: "want" as const, requestId: 0, priority: 1 as const, maxBytes: 1, ...FILE };
const WATCH = { type: "watch" as const, watchId: 1, chunkCount: 1, ...FILE };
const FIELD = { type: "have_field" as const, watchId: 1, offsetBytes: 0, bits: new Uint8Array(1) };

/** So many runs of one chunk each, the last of a few more. */
function runsOf(count: number, more = 0): { start: number; count: number }[] {
  return Array.from({ length: count }, (_, at) => ({ start: 2 * at, count: at < count - 1 ? 1 : 1 + more }));
}

/** Reads a stream in the stretches given, joining the payload of each run of DATA. */
function readAll(bytes: Uint8Array, stretchBytes: number): Seen[] {
  const seen: Seen[] = [];
  const reader = new FrameReader({
    onMessage: (one) => seen.push(one),
    onData: (requestId, part) => seen.push({ type: "data", requestId, bytes: part.slice() }),
  });
  for (let at = 0; at < bytes.length; at += stretchBytes) reader.push(bytes.subarray(at, at + stretchBytes));
  return seen;
}

function concat(parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** A frame of that length whose body is zeroes. */
function rawFrame(lengthBytes: number, ...body: number[]): Uint8Array {
  const head = new Uint8Array(8);
  return Uint8Array.from([...head.subarray(0, writeVarint(lengthBytes, head, 0)), ...body]);
}

describe("exchange messages", () => {
  it("reads back what was written, however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.integer({ min: 1, max: 64 }),
        (messages, stretch) => {
          expect(readAll(concat(messages.map(encodeMessage)), stretch)).toEqual(messages);
        },
      ),
    );
  });

  it("reads back the numbers before and after each at which one more byte begins", () => {
    const limits = [7, 14, 21, 28].map((bits) => 2 ** bits);
    for (const requestId of [...limits.flatMap((limit) => [limit - 1, limit]), MAX_VARINT]) {
      const missing = { type: "missing" as const, requestId };
      expect(readAll(encodeMessage(missing), 1)).toEqual([missing]);
    }
  });

  it("hands on the payload of DATA in order, however the bytes are cut", () => {
    fc.assert(
      fc.property(
        id,
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 64 }),
        (requestId, payload, stretch) => {
          const bytes = concat([
            encodeDataHeader(requestId, payload.length),
            payload,
            encodeMessage({ type: "missing", requestId }),
          ]);
          const seen = readAll(bytes, stretch);
          expect(seen.pop()).toEqual({ type: "missing", requestId });
          const parts = seen.map((one) =>
            one.type === "data" && one.requestId === requestId ? one.bytes : undefined,
          );
          expect(concat(parts.filter((part) => part !== undefined))).toEqual(payload);
        },
      ),
    );
  });

  it("has room in one buffer for what a turn sends, by the longest numbers", () => {
    const block = new Uint8Array(MAX_BLOCK_BYTES).fill(7);
    const stretches = [
      { start: MAX_BLOCK_BYTES - 1, end: MAX_BLOCK_BYTES },
      { start: 0, end: 2 * MAX_DATA_BYTES + 1 },
    ];
    const buffer = new SendBuffer(2 * MAX_DATA_BYTES + 2, stretches.length, new SendMemory());
    for (const { start, end } of stretches) buffer.append(MAX_VARINT, block, start, end);
    const told = { type: "block", requestId: MAX_VARINT, sizeBytes: block.length };
    const data = (start: number, end: number) => ({
      type: "data",
      requestId: MAX_VARINT,
      bytes: block.slice(start, end),
    });
    expect(readAll(buffer.bytes(), MAX_FRAME_BYTES * 4)).toEqual([
      data(MAX_BLOCK_BYTES - 1, MAX_BLOCK_BYTES),
      told,
      data(0, MAX_DATA_BYTES),
      data(MAX_DATA_BYTES, 2 * MAX_DATA_BYTES),
      data(2 * MAX_DATA_BYTES, 2 * MAX_DATA_BYTES + 1),
    ]);
  });

  it("throws nothing but protocol_error for bytes of any kind", () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .tuple(
          fc.constantFrom(
            ...[1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24, 0x25],
            ...[0x81, 0x82, 0x83, 0x84, 0x85, 0x91, 0x92, 0x93, 0x94],
          ),
          fc.uint8Array({ maxLength: 60 }),
        )
        .map(([type, body]) => rawFrame(body.length + 1, type, ...body)),
    );
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 64 }), (bytes, stretch) => {
        try {
          for (const one of readAll(bytes, stretch))
            if (one.type !== "data") expect(encodeMessage(one).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ name: "protocol_error" });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["a frame of gigabytes", rawFrame(4_000_000_000)],
    ["a frame one byte too long", rawFrame(MAX_FRAME_BYTES + 1)],
    ["a collected message over its limit", rawFrame(MAX_CONTROL_BYTES + 2, 0x23)],
    ["an empty frame", rawFrame(0)],
    ["a length that goes on for ever", new Uint8Array(16).fill(0x80)],
    ["a number with a needless zero byte", Uint8Array.of(0x82, 0x00)],
    ["a number over 32 bits", rawFrame(6, 0x13, 0x80, 0x80, 0x80, 0x80, 0x10)],
    ["a number of six bytes", rawFrame(7, 0x13, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)],
    ["an unknown type below the optional ones", rawFrame(1, 0x7f)],
    ["DATA without bytes", rawFrame(2, 0x12, 0)],
    ["DATA without a request", concat([rawFrame(1, 0x12), Uint8Array.of(0, 0)])],
    ["a message that ends early", rawFrame(1, 0x01)],
    ["a message without its only number", rawFrame(1, 0x13)],
    ["a message that ends within its only number", rawFrame(2, 0x13, 0x80)],
    ["bytes after the message", rawFrame(3, 0x13, 0, 0)],
    ["a short ticket", rawFrame(TICKET_BYTES, 0x91, ...new Uint8Array(TICKET_BYTES - 1))],
    ["a long ticket", rawFrame(TICKET_BYTES + 2, 0x91, ...new Uint8Array(TICKET_BYTES + 1))],
    ["bytes after a message of none", rawFrame(2, 0x82, 0)],
    ["a priority of three", rawFrame(37, 1, 0, 3, 0, 0x55, ...new Uint8Array(32))],
    ["a priority of three from now on", rawFrame(3, 0x85, 0, 3)],
    ["a short digest", rawFrame(36, 1, 0, 1, 0, 0x55, ...new Uint8Array(31))],
    ["a long digest", rawFrame(38, 1, 0, 1, 0, 0x55, ...new Uint8Array(33))],
    ["a long digest of a file", rawFrame(37, 3, 0, 1, 0x55, ...new Uint8Array(33))],
    ["a request for more than a chunk", encodeMessage({ ...WANT, maxBytes: MAX_BLOCK_BYTES + 1 })],
    ["a block over a chunk", encodeMessage({ type: "block", requestId: 1, sizeBytes: MAX_BLOCK_BYTES + 1 })],
    ["a watch of no chunks", encodeMessage({ ...WATCH, chunkCount: 0 })],
    ["a watch of more chunks than a file has", encodeMessage({ ...WATCH, chunkCount: MAX_CHUNKS + 1 })],
    ["a field of no bytes", encodeMessage({ ...FIELD, bits: new Uint8Array(0) })],
    ["a field over its piece", encodeMessage({ ...FIELD, bits: new Uint8Array(FIELD_PIECE_BYTES + 1) })],
    ["a field past the largest file", encodeMessage({ ...FIELD, offsetBytes: MAX_CHUNKS / 8 + 1 })],
    ["no run", rawFrame(2, 0x24, 1)],
    ["a run of nothing", encodeMessage({ type: "have_runs", watchId: 1, runs: [{ start: 5, count: 0 }] })],
    [
      "runs that name too many chunks together",
      encodeMessage({ type: "have_runs", watchId: 1, runs: runsOf(MAX_HAVE_INDEXES, 1) }),
    ],
    [
      "a run that names a million chunks",
      encodeMessage({ type: "have_runs", watchId: 1, runs: [{ start: 0, count: MAX_CHUNKS }] }),
    ],
    [
      "a run past the largest file",
      encodeMessage({ type: "have_runs", watchId: 1, runs: [{ start: MAX_CHUNKS, count: 1 }] }),
    ],
  ])("refuses %s", (_, bytes) => {
    expect(() => readAll(bytes, bytes.length)).toThrow(expect.objectContaining({ name: "protocol_error" }));
  });

  it.each<[string, Message]>([
    ["a request for a chunk", { ...WANT, maxBytes: MAX_BLOCK_BYTES }],
    ["a request for nothing", { ...WANT, maxBytes: 0 }],
    ["a block of no bytes", { type: "block", requestId: MAX_VARINT, sizeBytes: 0 }],
    ["a watch of the smallest file", WATCH],
    ["a watch of the largest file", { ...WATCH, chunkCount: MAX_CHUNKS }],
    ["the shortest field", FIELD],
    ["a whole piece of a field", { ...FIELD, bits: new Uint8Array(FIELD_PIECE_BYTES) }],
    ["as many runs as may be", { type: "have_runs", watchId: 1, runs: runsOf(MAX_HAVE_INDEXES) }],
    [
      "a run of as many chunks as may be, at the end of the largest file",
      {
        type: "have_runs",
        watchId: 1,
        runs: [{ start: MAX_CHUNKS - MAX_HAVE_INDEXES, count: MAX_HAVE_INDEXES }],
      },
    ],
  ])("takes %s", (_, told) => {
    expect(readAll(encodeMessage(told), 1000)).toEqual([told]);
  });

  it("takes no memory for what a length claims", () => {
    const reader = new FrameReader({ onMessage: () => {}, onData: () => {} });
    const before = process.memoryUsage().arrayBuffers;
    reader.push(rawFrame(MAX_CONTROL_BYTES, 0x23));
    expect(() =>
      new FrameReader({ onMessage: () => {}, onData: () => {} }).push(rawFrame(2 ** 31, 0x23)),
    ).toThrow("frame of");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });

  it("skips an optional message that it does not know, at any length", () => {
    const missing: Message = { type: "missing", requestId: 7 };
    const unknown = rawFrame(MAX_FRAME_BYTES, 0x80, ...new Uint8Array(MAX_FRAME_BYTES - 1));
    expect(readAll(concat([rawFrame(1, 0xff), unknown, encodeMessage(missing)]), 1000)).toEqual([missing]);
  });

  it("fits a full DATA frame into the longest frame", () => {
    expect(encodeDataHeader(MAX_VARINT, MAX_DATA_BYTES).length + MAX_DATA_BYTES - 3).toBeLessThanOrEqual(
      MAX_FRAME_BYTES,
    );
  });

  it.each(frozen.messages)("keeps the bytes of $message.type", ({ message: told, hex }) => {
    const value = revive(told);
    expect(Buffer.from(encodeMessage(value)).toString("hex")).toBe(hex);
    expect(readAll(Buffer.from(hex, "hex"), 5)).toEqual([value]);
  });

  it("keeps the bytes of DATA", () => {
    const { requestId, payloadHex, hex } = frozen.data;
    const payload = new Uint8Array(Buffer.from(payloadHex, "hex"));
    expect(Buffer.from(concat([encodeDataHeader(requestId, payload.length), payload])).toString("hex")).toBe(
      hex,
    );
  });
});

/** JSON has no bytes: fields of bytes are told in hex. */
function revive(told: object): Message {
  const entries = Object.entries(told).map(([key, value]) => {
    const isBytes = ["digest", "bits", "ticket"].includes(key);
    return [key, isBytes ? new Uint8Array(Buffer.from(value as string, "hex")) : value];
  });
  return Object.fromEntries(entries) as Message;
}
