/** Bytes between the socket and their reader: src/headless/network/received-bytes. */
import { expect, it } from "vitest";
import { ReceivedBytes } from "../../../src/headless/network/received-bytes.ts";

const RECORD_BYTES = 16 * 1024;
const MAX_BYTES = 512 * 1024;

/** What Node.js does: the next place is known before what has come is taken. */
class Reader {
  readonly received = new ReceivedBytes(MAX_BYTES);
  readonly pieces: Uint8Array[] = [];
  #place = this.received.place();
  #next = 0;

  read(bytes: number): void {
    for (let at = 0; at < bytes; at += 1) this.#place[at] = this.#next++ % 251;
    this.received.add(bytes);
    if (this.received.isFull) this.take();
    this.#place = this.received.place();
    expect(this.#place.length).toBeGreaterThanOrEqual(RECORD_BYTES);
  }

  take(): Uint8Array {
    const taken = this.received.take();
    this.pieces.push(taken);
    return taken;
  }
}

it("gives all that came, in order, however long the reads and whenever it is taken", () => {
  const reader = new Reader();
  let total = 0;
  for (let round = 0; round < 450; round++) {
    const isBusy = round % 150 < 75;
    const bytes = isBusy ? RECORD_BYTES : 1 + ((round * 7919) % 4000);
    reader.read(bytes);
    total += bytes;
    if (round % (isBusy ? 29 : 3) === 0) reader.take();
  }
  reader.take();
  const all = Buffer.concat(reader.pieces);
  expect(all.length).toBe(total);
  expect(all.every((byte, at) => byte === at % 251)).toBe(true);
});

it("gives what comes fast in pieces of many records, and takes no more memory than it may", () => {
  const reader = new Reader();
  for (let record = 0; record < 1000; record++) reader.read(RECORD_BYTES);
  const longest = reader.pieces.at(-2) as Uint8Array;
  expect(longest.length).toBe(MAX_BYTES);
  expect(longest.buffer.byteLength).toBe(MAX_BYTES);
});

it("gives a short message in memory of its own", () => {
  const reader = new Reader();
  for (let record = 0; record < 100; record++) reader.read(RECORD_BYTES);
  reader.take();
  reader.read(300);
  expect(reader.take().buffer.byteLength).toBe(300);
});
