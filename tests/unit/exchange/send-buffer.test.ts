/** The buffer of what a turn sends: src/exchange/serving/send-buffer. */
import { expect, it } from "vitest";
import { BULK_SEND_BYTES, MAX_DATA_BYTES, READ_AHEAD_BLOCKS } from "../../../src/exchange/limits.ts";
import { SendBuffer } from "../../../src/exchange/serving/send-buffer.ts";
import { SendMemory } from "../../../src/exchange/serving/send-memory.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import { MAX_VARINT } from "../../../src/exchange/wire/varint.ts";

it.each([1, MAX_DATA_BYTES + 1])(
  "holds as many blocks of %d bytes as are read ahead, under the longest numbers that a peer may give them",
  (sizeBytes) => {
    const frames = new SendBuffer(READ_AHEAD_BLOCKS * sizeBytes, READ_AHEAD_BLOCKS, new SendMemory());
    const ids = Array.from({ length: READ_AHEAD_BLOCKS }, (_, nth) => MAX_VARINT - nth);
    for (const id of ids) frames.append(id, new Uint8Array(sizeBytes).fill(id), 0, sizeBytes);
    const told: [number, number][] = [];
    const brought = new Map<number, number>();
    new FrameReader({
      onMessage: (message) => message.type === "block" && told.push([message.requestId, message.sizeBytes]),
      onData: (id, bytes) => {
        expect(bytes.every((byte) => byte === (id & 0xff))).toBe(true);
        brought.set(id, (brought.get(id) ?? 0) + bytes.length);
      },
    }).push(frames.bytes());
    expect(told).toEqual(ids.map((id) => [id, sizeBytes]));
    expect([...brought]).toEqual(told);
  },
);

it("is of memory that is used again, for a full turn of many blocks", () => {
  const memory = new SendMemory();
  const take = () => new SendBuffer(BULK_SEND_BYTES, READ_AHEAD_BLOCKS, memory).bytes();
  const first = take();
  memory.giveBack(first);
  expect(take().buffer).toBe(first.buffer);
});
