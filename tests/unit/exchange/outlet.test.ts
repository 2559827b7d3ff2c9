/** When the line to a peer counts as stuck: src/exchange/serving/outlet. */
import type { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import {
  BULK_SEND_BYTES,
  FAST_BYTES,
  MAX_DATA_BYTES,
  SLOW_READER_MS,
  SLOW_SEND_MS,
  SMALL_SEND_BYTES,
} from "../../../src/exchange/limits.ts";
import { Outlet } from "../../../src/exchange/serving/outlet.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { HandClock } from "../hand-clock.ts";

const missing = (requestId: number): Message => ({ type: "missing", requestId });

/** An outlet whose sink takes bytes when told to, at a time that is told. */
function outletAt(awakeMs: number, maxSendBytes = 1) {
  const watchdog = new Watchdog(new HandClock());
  watchdog.awakeMs = awakeMs;
  const sent: string[] = [];
  const sink = {
    isWritable: false,
    takesAtOnce: false,
    send: (bytes: Uint8Array | Uint8ArrayList) => {
      sent.push(Buffer.from(bytes.subarray()).toString("hex"));
      sink.isWritable = sink.takesAtOnce;
    },
  };
  const outlet = new Outlet(() => sink, maxSendBytes, watchdog);
  const passTo = (ms: number) => {
    watchdog.awakeMs = ms;
  };
  const isStuckAt = (ms: number, hasData = false) => {
    passTo(ms);
    return outlet.isStuck(ms, hasData);
  };
  const takesBytesAt = (ms: number) => {
    passTo(ms);
    sink.isWritable = true;
    outlet.onWritable();
  };
  return { outlet, sink, sent, passTo, isStuckAt, takesBytesAt };
}

const hexOf = (...messages: Message[]) =>
  messages.map((message) => Buffer.from(encodeMessage(message)).toString("hex")).join("");

describe("an outlet", () => {
  it("is stuck when the peer has let an answer wait for too long, and not before", () => {
    const { isStuckAt } = outletAt(1_000_000);
    expect(isStuckAt(1_000_000 + SLOW_READER_MS - 1, true)).toBe(false);
    expect(isStuckAt(1_000_000 + SLOW_READER_MS, true)).toBe(true);
  });

  it("is stuck when the peer has let small frames wait for too long", () => {
    const { outlet, isStuckAt } = outletAt(0);
    outlet.notify(missing(1));
    expect(isStuckAt(SLOW_READER_MS)).toBe(true);
  });

  it("is not stuck while the peer takes something now and then, though it is full whenever it is looked at", () => {
    const { outlet, sent, isStuckAt, takesBytesAt } = outletAt(0);
    for (let ms = 0; ms < 4 * SLOW_READER_MS; ms += SLOW_READER_MS / 2) {
      outlet.notify(missing(1));
      takesBytesAt(ms);
      outlet.notify(missing(2));
      expect(isStuckAt(ms + SLOW_READER_MS / 2, true)).toBe(false);
    }
    expect(sent).toHaveLength(8);
  });

  it("lets a piece wait that was not taken for two ticks, and none while it takes bytes, however long nothing was sent", () => {
    const { outlet, takesBytesAt, passTo } = outletAt(10_000);
    takesBytesAt(10_000);
    expect(outlet.letsWait).toBe(false);
    outlet.send(new Uint8Array(1));
    passTo(10_000 + SLOW_SEND_MS - 1);
    expect(outlet.letsWait).toBe(false);
    passTo(10_000 + SLOW_SEND_MS);
    expect(outlet.letsWait).toBe(true);
    takesBytesAt(60_000);
    expect(outlet.letsWait).toBe(false);
  });

  it("is not stuck while it takes bytes, though an answer waits for its turn under a low rate", () => {
    const { isStuckAt, takesBytesAt } = outletAt(0);
    takesBytesAt(0);
    expect(isStuckAt(10 * SLOW_READER_MS, true)).toBe(false);
  });

  it("is not stuck while nothing waits, however long", () => {
    const { isStuckAt } = outletAt(0);
    expect(isStuckAt(10 * SLOW_READER_MS)).toBe(false);
    expect(isStuckAt(11 * SLOW_READER_MS - 1, true)).toBe(false);
  });

  it("sends what waits once and together, before what comes with it", () => {
    const { outlet, sent, takesBytesAt } = outletAt(0);
    outlet.notify(missing(1));
    outlet.notify(missing(2));
    expect([outlet.waitingCount, sent]).toEqual([2, []]);
    takesBytesAt(1);
    expect([outlet.waitingCount, sent]).toEqual([0, [hexOf(missing(1), missing(2))]]);
    takesBytesAt(2);
    expect(sent).toHaveLength(1);
  });
});

describe("what an outlet hands over at once", () => {
  /** Sends pieces of the present size until so many bytes are sent. */
  function sendAll(outlet: Outlet, sizeBytes: number): void {
    for (let rest = sizeBytes; rest > 0; rest -= outlet.sendBytes)
      outlet.send(new Uint8Array(outlet.sendBytes));
  }

  it("is little at first, and twice as much each time that the peer has taken a good deal", () => {
    const { outlet } = outletAt(0, BULK_SEND_BYTES);
    expect(outlet.sendBytes).toBe(MAX_DATA_BYTES);
    outlet.send(new Uint8Array(FAST_BYTES - 1));
    expect(outlet.sendBytes).toBe(MAX_DATA_BYTES);
    outlet.send(new Uint8Array(1));
    expect(outlet.sendBytes).toBe(2 * MAX_DATA_BYTES);
    outlet.send(new Uint8Array(FAST_BYTES - 1));
    expect(outlet.sendBytes).toBe(2 * MAX_DATA_BYTES);
    sendAll(outlet, 8 * FAST_BYTES);
    expect(outlet.sendBytes).toBe(BULK_SEND_BYTES);
  });

  it("is little again for a peer that lets a piece wait, and stays so while it does", () => {
    const { outlet, takesBytesAt } = outletAt(0, BULK_SEND_BYTES);
    sendAll(outlet, 8 * FAST_BYTES);
    takesBytesAt(SLOW_SEND_MS - 1);
    expect(outlet.sendBytes).toBe(BULK_SEND_BYTES);
    outlet.send(new Uint8Array(1));
    takesBytesAt(2 * SLOW_SEND_MS - 1);
    expect(outlet.sendBytes).toBe(MAX_DATA_BYTES);
    outlet.send(new Uint8Array(FAST_BYTES - 1));
    takesBytesAt(3 * SLOW_SEND_MS);
    outlet.send(new Uint8Array(FAST_BYTES - 1));
    expect(outlet.sendBytes).toBe(MAX_DATA_BYTES);
  });

  it("stays much in a pause in which its neighbours' bytes are taken, and after it, where the peer takes at once what comes then, be it a small frame", () => {
    const { outlet, sink, passTo, takesBytesAt } = outletAt(0, BULK_SEND_BYTES);
    sendAll(outlet, 8 * FAST_BYTES);
    takesBytesAt(1);
    takesBytesAt(4 * SLOW_SEND_MS);
    expect(outlet.sendBytes).toBe(BULK_SEND_BYTES);
    sink.takesAtOnce = true;
    outlet.send(new Uint8Array(1));
    sink.takesAtOnce = false;
    takesBytesAt(8 * SLOW_SEND_MS);
    expect(outlet.sendBytes).toBe(BULK_SEND_BYTES);
    passTo(10 * SLOW_SEND_MS);
    outlet.send(new Uint8Array(1));
    takesBytesAt(10 * SLOW_SEND_MS + 1);
    expect(outlet.sendBytes).toBe(BULK_SEND_BYTES);
    passTo(20 * SLOW_SEND_MS);
    outlet.notify(missing(1));
    takesBytesAt(20 * SLOW_SEND_MS + 1);
    expect(outlet.sendBytes).toBe(BULK_SEND_BYTES);
  });

  it("is never more than fits a message of its transport", () => {
    const { outlet, takesBytesAt } = outletAt(0, SMALL_SEND_BYTES);
    expect(outlet.sendBytes).toBe(SMALL_SEND_BYTES);
    sendAll(outlet, 8 * FAST_BYTES);
    expect(outlet.sendBytes).toBe(SMALL_SEND_BYTES);
    takesBytesAt(SLOW_SEND_MS);
    expect(outlet.sendBytes).toBe(SMALL_SEND_BYTES);
  });
});
