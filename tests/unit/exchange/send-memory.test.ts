/** Memory that is used again for what is sent: by one piece at a time, and never without bound. */
import { expect, it } from "vitest";
import { BULK_SEND_BYTES, MAX_KEPT_SENDS } from "../../../src/exchange/limits.ts";
import { SendMemory } from "../../../src/exchange/serving/send-memory.ts";

it("gives the memory of a full turn again once it was given back, and to one at a time", () => {
  const memory = new SendMemory();
  const [first, second] = [memory.take(BULK_SEND_BYTES), memory.take(BULK_SEND_BYTES + 100)];
  expect(second.buffer).not.toBe(first.buffer);
  memory.giveBack(first);
  const third = memory.take(BULK_SEND_BYTES - 100);
  expect(third.buffer).toBe(first.buffer);
  expect(third.byteLength).toBe(BULK_SEND_BYTES - 100);
  expect(memory.take(BULK_SEND_BYTES).buffer).not.toBe(first.buffer);
});

it("takes a piece of it as the whole, and nothing that is not its own", () => {
  const memory = new SendMemory();
  const given = memory.take(BULK_SEND_BYTES);
  memory.giveBack(given.subarray(1, 2));
  memory.giveBack(new Uint8Array(BULK_SEND_BYTES));
  memory.giveBack(new Uint8Array(10));
  expect(memory.take(BULK_SEND_BYTES).buffer).toBe(given.buffer);
  expect(memory.take(BULK_SEND_BYTES).byteLength).toBe(BULK_SEND_BYTES);
});

it("keeps none of what is short or longer than any turn", () => {
  const memory = new SendMemory();
  for (const sizeBytes of [0, 1, 1000, 10 * BULK_SEND_BYTES]) {
    const given = memory.take(sizeBytes);
    expect(given.byteLength).toBe(sizeBytes);
    memory.giveBack(given);
    expect(memory.take(sizeBytes).buffer).not.toBe(given.buffer);
  }
});

it("keeps no more than so many", () => {
  const memory = new SendMemory();
  const take = () => Array.from({ length: 2 * MAX_KEPT_SENDS }, () => memory.take(BULK_SEND_BYTES));
  const given = take();
  for (const piece of given) memory.giveBack(piece);
  const known = new Set(given.map(({ buffer }) => buffer));
  expect(take().filter(({ buffer }) => known.has(buffer))).toHaveLength(MAX_KEPT_SENDS);
});
