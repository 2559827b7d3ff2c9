/** Requests that wait for others: while enough is under way, and never so that all would be answered before they are sent. */
import { beforeEach, expect, it } from "vitest";
import { HeldWants } from "../../../src/exchange/asking/held-wants.ts";
import { ANSWERS_UNDER_WAY, IN_FLIGHT_BULK, WANTS_AT_ONCE } from "../../../src/exchange/limits.ts";

let sent: number[];
let open: number;
let nextId: number;
let wants: HeldWants;
beforeEach(() => {
  sent = [];
  open = 0;
  nextId = 0;
  wants = new HeldWants(({ requestId }) => void sent.push(requestId));
});

function ask(priority: 0 | 1 | 2 = 1): void {
  open += 1;
  const digest = new Uint8Array(32);
  wants.add({ type: "want", requestId: nextId, priority, maxBytes: 1, codec: 0x55, digest }, open);
  nextId += 1;
}

function answered(): void {
  open -= 1;
  wants.tend(open);
}

it("go at once while fewer answers are under way than keep the peer busy", () => {
  for (let count = 1; count <= ANSWERS_UNDER_WAY; count += 1) {
    ask();
    expect(sent).toHaveLength(count);
  }
});

it("go in their order, all that a peer may be asked for at once", () => {
  for (let count = 0; count < IN_FLIGHT_BULK; count += 1) ask();
  expect(sent).toEqual(Array.from({ length: IN_FLIGHT_BULK }, (_, id) => id));
});

it("go together later, one for each answer", () => {
  for (let count = 0; count < IN_FLIGHT_BULK; count += 1) ask();
  for (let count = 1; count <= 3 * WANTS_AT_ONCE; count += 1) {
    answered();
    ask();
    const together = count - (count % WANTS_AT_ONCE);
    expect(sent).toHaveLength(IN_FLIGHT_BULK + together);
  }
});

it("go when answers run short, even if nothing more is asked for", () => {
  for (let count = 0; count < IN_FLIGHT_BULK; count += 1) ask();
  answered();
  ask();
  expect(sent).toHaveLength(IN_FLIGHT_BULK);
  while (open - 1 >= ANSWERS_UNDER_WAY) answered();
  expect(sent).toHaveLength(IN_FLIGHT_BULK + 1);
});

it("go with what somebody waits for, and before whatever else is sent", () => {
  for (let count = 0; count < IN_FLIGHT_BULK; count += 1) ask();
  answered();
  ask();
  answered();
  ask(2);
  expect(sent.slice(IN_FLIGHT_BULK)).toEqual([IN_FLIGHT_BULK, IN_FLIGHT_BULK + 1]);
  answered();
  ask();
  wants.release();
  expect(sent.at(-1)).toBe(IN_FLIGHT_BULK + 2);
  wants.release();
  expect(sent).toHaveLength(IN_FLIGHT_BULK + 3);
});
