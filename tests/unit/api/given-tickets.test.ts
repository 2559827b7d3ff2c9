/** Tickets that were given: src/api/given-tickets. */
import { expect, it } from "vitest";
import { GivenTickets } from "../../../src/api/given-tickets.ts";
import { MAX_TICKETS, TICKET_LIFETIME_MS } from "../../../src/api/limits.ts";
import { HandClock } from "../hand-clock.ts";

const OF_F = { fileId: "f", key: "k" };

it("are bounded: the oldest gives way", () => {
  const tickets = new GivenTickets(new HandClock());
  const given = Array.from(
    { length: MAX_TICKETS + 1 },
    (_, i) => tickets.give({ fileId: `file ${i}`, key: "k" }).ticket,
  );
  expect(tickets.find(given[0] as string)).toBeUndefined();
  for (const i of [1, MAX_TICKETS]) expect(tickets.find(given[i] as string)?.fileId).toBe(`file ${i}`);
});

it.each([24, -24])("hold for their time when the clock is set by %i hours", async (hours) => {
  const clock = new HandClock();
  const tickets = new GivenTickets(clock);
  const before = tickets.give(OF_F).ticket;
  clock.set(hours * 3_600_000);
  const after = tickets.give(OF_F);
  expect(after.expiresMs).toBe(clock.now() + TICKET_LIFETIME_MS);
  await clock.pass(TICKET_LIFETIME_MS - 1);
  expect([before, after.ticket].map((ticket) => tickets.find(ticket))).toMatchObject([OF_F, OF_F]);
  await clock.pass(1);
  expect([before, after.ticket].map((ticket) => tickets.find(ticket))).toEqual([undefined, undefined]);
});
