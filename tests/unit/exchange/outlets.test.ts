/** The ways out to one peer by themselves: which is used when, and what becomes of a side stream. */
import { describe, expect, it } from "vitest";
import { MAX_UNUSED_TICKETS, SLOW_READER_MS, SLOW_SEND_MS } from "../../../src/exchange/limits.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import { Outlets } from "../../../src/exchange/serving/outlets.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { HandClock, settled } from "../hand-clock.ts";

const PROTOCOL_ERROR = expect.objectContaining({ name: "protocol_error" });
const missing = (requestId: number): Message => ({ type: "missing", requestId });
const hexOf = (message: Message) => Buffer.from(encodeMessage(message)).toString("hex");

function openOutlets() {
  const clock = new HandClock();
  const watchdog = new Watchdog(clock);
  const sides = new OfferedSides(clock);
  const seen = { sends: 0, sideWakings: 0 };
  const sink = { isWritable: true, send: () => void seen.sends++ };
  const outlets = new Outlets(
    { sendBytes: 1, sides, watchdog, onSideWritable: () => void seen.sideWakings++ },
    () => sink,
  );
  /** A new ticket, as it stands in a URL. */
  const offer = (): string => {
    let ticket = "";
    const { notify } = outlets.stream;
    outlets.stream.notify = (message) => {
      if (message.type === "ticket") ticket = ticketText(message.ticket);
    };
    outlets.offerSide();
    outlets.stream.notify = notify;
    return ticket;
  };
  const read = (ticket: string) => {
    const reader = sides.redeem(ticket)?.getReader();
    if (reader === undefined) throw new Error("no side stream");
    const next = async () => {
      const { value } = await reader.read();
      return value && Buffer.from(value).toString("hex");
    };
    return { reader, next };
  };
  return { outlets, sides, sink, seen, watchdog, offer, read };
}

/** With a side stream in use whose first frame was read. */
async function withSide() {
  const own = openOutlets();
  const side = own.read(own.offer());
  expect(await side.next()).toBe(hexOf({ type: "side_open" }));
  own.outlets.beginSide();
  return { ...own, ...side, outlet: own.outlets.current };
}

describe("a side stream", () => {
  it("is used from its beginning to its end, each in its time", async () => {
    const { outlets, offer, read, outlet } = await withSide();
    expect(outlet).not.toBe(outlets.stream);
    for (const early of [() => outlets.beginSide(), () => outlets.offerSide()]) {
      expect(early).toThrow(PROTOCOL_ERROR);
    }
    expect(outlets.endSide()).toBe(outlet);
    expect(outlets.current).toBe(outlets.stream);
    for (const late of [() => outlets.beginSide(), () => outlets.endSide()])
      expect(late).toThrow(PROTOCOL_ERROR);
    const next = read(offer());
    expect(() => outlets.endSide()).toThrow(PROTOCOL_ERROR);
    outlets.beginSide();
    expect(outlets.current).not.toBe(outlet);
    await next.reader.cancel();
  });

  it("can't begin before somebody came with its ticket", () => {
    const { outlets, offer } = openOutlets();
    offer();
    expect(() => outlets.beginSide()).toThrow(PROTOCOL_ERROR);
    expect(outlets.current).toBe(outlets.stream);
  });

  it("that nobody has come for lets nothing wait", () => {
    const { outlets, offer, watchdog } = openOutlets();
    offer();
    watchdog.awakeMs = SLOW_SEND_MS;
    expect(outlets.letWait).toBe(false);
  });

  it("can be asked for a few times in vain", async () => {
    const { outlets, offer, read } = openOutlets();
    for (let vain = 1; vain < MAX_UNUSED_TICKETS; vain++) offer();
    await read(offer()).next();
    outlets.beginSide();
    outlets.endSide();
    for (let vain = 0; vain < MAX_UNUSED_TICKETS; vain++) offer();
    expect(offer).toThrow(PROTOCOL_ERROR);
  });

  it("gives what waits for it when it is read, a piece each time", async () => {
    const { outlets, outlet, next, seen } = await withSide();
    outlet.notify(missing(1));
    expect([outlet.isWritable, outlets.waitingCount, seen.sideWakings]).toEqual([false, 1, 0]);
    expect(await next()).toBe(hexOf(missing(1)));
    expect([outlet.isWritable, outlets.waitingCount, seen.sideWakings]).toEqual([false, 0, 1]);
    const idle = next();
    await settled();
    expect([outlet.isWritable, seen.sideWakings]).toEqual([true, 2]);
    outlet.notify(missing(2));
    outlet.notify(missing(3));
    expect(outlets.waitingCount).toBe(1);
    expect([await idle, await next()]).toEqual([hexOf(missing(2)), hexOf(missing(3))]);
  });

  it.each<[string, (own: Awaited<ReturnType<typeof withSide>>) => void]>([
    ["its end", ({ outlets }) => void outlets.endSide()],
    ["the conversation", ({ outlets }) => outlets.close()],
  ])("is over for its reader with %s, and counts no more", async (_, end) => {
    const own = await withSide();
    own.outlet.notify(missing(1));
    end(own);
    expect((await own.reader.read()).done).toBe(true);
    expect([own.outlet.isWritable, own.outlets.waitingCount]).toEqual([false, 0]);
    own.outlets.close();
  });

  it.each([
    ["that was given all", false],
    ["that waits for more", true],
  ])("takes nothing more when a reader %s goes, until it is ended", async (_, waits) => {
    const { outlets, outlet, reader, next, seen } = await withSide();
    if (waits) void next();
    await settled();
    expect(outlet.isWritable).toBe(waits);
    await reader.cancel();
    outlet.notify(missing(1));
    expect([outlet.isWritable, outlets.waitingCount, outlets.current]).toEqual([false, 1, outlet]);
    outlets.endSide();
    expect([outlets.waitingCount, seen.sends]).toEqual([0, 0]);
  });

  it("lets its peer wait as the stream does", async () => {
    const { outlets, outlet, next, watchdog } = await withSide();
    const idle = next();
    await settled();
    outlet.notify(missing(1));
    await idle;
    expect(outlets.letWait).toBe(false);
    watchdog.awakeMs = SLOW_SEND_MS;
    expect(outlets.letWait).toBe(true);
  });

  it("has one ticket: an earlier one is void, and so is the stream that it stood for", async () => {
    const { outlets, offer, read, sides } = openOutlets();
    const [unused, used] = [offer(), offer()];
    expect(sides.redeem(unused)).toBeUndefined();
    const first = read(used);
    await first.next();
    const second = offer();
    expect((await first.reader.read()).done).toBe(true);
    expect(() => outlets.beginSide()).toThrow(PROTOCOL_ERROR);
    outlets.close();
    expect(sides.redeem(second)).toBeUndefined();
  });

  it("and the stream are each looked at for a peer that reads nothing", async () => {
    const { outlets, outlet, sink, watchdog } = await withSide();
    const isStuckAt = (awakeMs: number, waits = [outlets.stream, outlet]) => {
      watchdog.awakeMs = awakeMs;
      return outlets.areStuck(awakeMs, (one) => waits.includes(one));
    };
    expect(isStuckAt(SLOW_READER_MS, [outlets.stream])).toBe(false);
    expect(isStuckAt(2 * SLOW_READER_MS - 1)).toBe(false);
    expect(isStuckAt(2 * SLOW_READER_MS)).toBe(true);
    outlets.endSide();
    sink.isWritable = false;
    expect(isStuckAt(3 * SLOW_READER_MS - 1, [outlets.stream])).toBe(false);
    expect(isStuckAt(3 * SLOW_READER_MS, [outlets.stream])).toBe(true);
  });
});

it("where there are no side streams nobody is given a ticket", () => {
  const outlets = new Outlets(
    { sendBytes: 1, sides: undefined, watchdog: new Watchdog(new HandClock()), onSideWritable: () => {} },
    () => ({ isWritable: false, send: () => {} }),
  );
  outlets.offerSide();
  expect(outlets.waitingCount).toBe(0);
});
