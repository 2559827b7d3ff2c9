/** Many askers of one server, each over a line in memory, on a clock that is moved by hand: what a real crowd does in hours. */
import type { Stream } from "@libp2p/interface";
import { onTestFinished } from "vitest";
import { createExchange, type Rates, type RunningExchange } from "../../../src/exchange/exchange.ts";
import { MAX_DATA_BYTES } from "../../../src/exchange/limits.ts";
import type { BlockSource, PeerSession } from "../../../src/sharing/ports.ts";
import type { HandClock } from "../hand-clock.ts";

/** As a cipher brings them. */
function inRecords(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / MAX_DATA_BYTES);
  return Array.from({ length: count }, (_, nth) =>
    bytes.subarray(nth * MAX_DATA_BYTES, (nth + 1) * MAX_DATA_BYTES),
  );
}

/** One end of a line. What it sends it holds until the other end has taken it. */
class LineEnd extends EventTarget {
  status = "open";
  remoteWriteStatus = "writable";
  writableNeedsDrain = false;
  writeBufferLength = 0;
  /** What the other end takes in a second; as much as comes, if it is not said. */
  readonly #bytesPerSecond: number;
  readonly #clock: HandClock;
  other!: LineEnd;
  #isPaused = false;
  /** Come while it was paused. */
  readonly #unread: (() => void)[] = [];

  constructor(clock: HandClock, bytesPerSecond: number) {
    super();
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
  }

  send(bytes: Uint8Array | { subarray(): Uint8Array }): void {
    const data = bytes.subarray().slice();
    this.writeBufferLength += data.length;
    const ms = (data.length * 1000) / this.#bytesPerSecond;
    const taken = ms === 0 ? Promise.resolve() : this.#clock.sleep(ms);
    void taken.then(() => {
      if (this.status === "open") this.other.#arrive(() => this.#hand(data));
    });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#unread.length > 0) this.#unread.shift()?.();
  }

  #arrive(take: () => void): void {
    this.#unread.push(take);
    if (!this.#isPaused) this.resume();
  }

  #hand(data: Uint8Array): void {
    this.writeBufferLength -= data.length;
    this.other.dispatchEvent(Object.assign(new Event("message"), { data: inRecords(data) }));
    this.dispatchEvent(new Event("drain"));
  }

  async close(): Promise<void> {
    this.abort();
  }

  abort(): void {
    for (const end of [this, this.other]) {
      if (end.status !== "open") continue;
      end.status = "closed";
      end.dispatchEvent(new Event("close"));
    }
  }
}

/** A line between two ends, of which the first takes so much a second. */
export function lineOf(clock: HandClock, bytesPerSecond = Infinity): { near: Stream; far: Stream } {
  const [near, far] = [new LineEnd(clock, Infinity), new LineEnd(clock, bytesPerSecond)];
  [near.other, far.other] = [far, near];
  return { near: near as unknown as Stream, far: far as unknown as Stream };
}

/** A server that its test opens lines to. */
export function startServer(clock: HandClock, source: BlockSource, rates: Rates = {}) {
  const violations: string[] = [];
  let answer: (stream: Stream, peerId: string) => void = () => {};
  const exchange = createExchange({
    ...rates,
    clock,
    onViolation: (peerId, error) => void violations.push(`${peerId}: ${error.message}`),
    streams: {
      openStream: () => Promise.reject(new Error("it asks for nothing")),
      handle: (_, handler) => {
        answer = handler;
      },
      transportOf: () => "tcp",
    },
  });
  exchange.serve(source);
  onTestFinished(() => exchange.stop());
  return { answer, violations };
}

export interface Crowd {
  /** All of them. */
  askers: RunningExchange;
  /** One more comes, whose line takes so much. @throws SharingError */
  ask(bytesPerSecond?: number): Promise<PeerSession>;
  /** What each that broke the rules did. */
  violations: string[];
}

export function startCrowd(
  clock: HandClock,
  source: BlockSource,
  { rates = {}, askersRates = {} }: { rates?: Rates; askersRates?: Rates } = {},
): Crowd {
  const { answer, violations } = startServer(clock, source, rates);
  const lines = new Map<string, number>();
  const askers = createExchange({
    ...askersRates,
    clock,
    onViolation: (_, error) => void violations.push(`the server: ${error.message}`),
    streams: {
      openStream: async (peerId) => {
        const { near, far } = lineOf(clock, lines.get(peerId));
        answer(far, peerId);
        return near;
      },
      handle: () => {},
      transportOf: () => "tcp",
    },
  });
  onTestFinished(() => askers.stop());
  return {
    askers,
    violations,
    ask: (bytesPerSecond = Infinity) => {
      const peerId = `peer ${lines.size}`;
      lines.set(peerId, bytesPerSecond);
      return askers.openSession(peerId, new AbortController().signal);
    },
  };
}
