import { expect, it } from "vitest";
import { GivenTickets } from "../../../src/api/given-tickets.ts";
import { MAX_TICKETS, TICKET_LIFETIME_MS } from "../../../src/api/limits.ts";
import { HandClock } from "../hand-clock.ts";

it("are bounded: the oldest gives way", () => {
  const tickets = new GivenTickets(new HandClock());
  const given = Array.from({ length: MAX_TICKETS + 1 }, (_, i) => tickets.give(`file ${i}`).ticket);
  expect(tickets.fileOf(given[0] as string)).toBeUndefined();
  for (const i of [1, MAX_TICKETS]) expect(tickets.fileOf(given[i] as string)).toBe(`file ${i}`);
});

it.each([24, -24])("hold for their time when the clock is set by %i hours", async (hours) => {
  const clock = new HandClock();
  const tickets = new GivenTickets(clock);
  const before = tickets.give("f").ticket;
  clock.set(hours * 3_600_000);
  const after = tickets.give("f");
  expect(after.expiresMs).toBe(clock.now() + TICKET_LIFETIME_MS);
  await clock.pass(TICKET_LIFETIME_MS - 1);
  expect([before, after.ticket].map((ticket) => tickets.fileOf(ticket))).toEqual(["f", "f"]);
  await clock.pass(1);
  expect([before, after.ticket].map((ticket) => tickets.fileOf(ticket))).toEqual([undefined, undefined]);
});
