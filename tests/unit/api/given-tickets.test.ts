import { expect, it } from "vitest";
import { GivenTickets } from "../../../src/api/given-tickets.ts";
import { MAX_TICKETS } from "../../../src/api/limits.ts";
import { HandClock } from "./hand-clock.ts";

it("are bounded: the oldest gives way", () => {
  const tickets = new GivenTickets(new HandClock());
  const given = Array.from({ length: MAX_TICKETS + 1 }, (_, i) => tickets.give(`file ${i}`).ticket);
  expect(tickets.fileOf(given[0] as string)).toBeUndefined();
  for (const i of [1, MAX_TICKETS]) expect(tickets.fileOf(given[i] as string)).toBe(`file ${i}`);
});
