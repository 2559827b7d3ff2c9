/** Many askers of one server, each over a line in memory, on a clock that is moved by hand: what a real crowd does in hours. */
import type { Stream } from "@libp2p/interface";
import { onTestFinished } from "vitest";
import { createExchange, type Rates } from "../../../src/exchange/exchange.ts";
import type { BlockSource, PeerSession } from "../../../src/sharing/ports.ts";
import type { HandClock } from "../hand-clock.ts";

const UNUSED = { handle: () => {}, transportOf: () => "tcp" as const };

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
      if (this.status !== "open") return;
      this.writeBufferLength -= data.length;
      this.other.dispatchEvent(Object.assign(new Event("message"), { data }));
      this.dispatchEvent(new Event("drain"));
    });
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

export interface Crowd {
  /** One more comes, whose line takes so much. @throws SharingError */
  ask(bytesPerSecond?: number): Promise<PeerSession>;
  /** What each that broke the rules did. */
  violations: string[];
}

export function startCrowd(clock: HandClock, source: BlockSource, rates: Rates = {}): Crowd {
  const violations: string[] = [];
  const onViolation = (peerId: string, error: Error) => void violations.push(`${peerId}: ${error.message}`);
  let answer: (stream: Stream, peerId: string) => void = () => {};
  const lines = new Map<string, number>();
  const server = createExchange({
    ...rates,
    clock,
    onViolation,
    streams: {
      ...UNUSED,
      openStream: () => Promise.reject(new Error("it asks for nothing")),
      handle: (_, handler) => {
        answer = handler;
      },
    },
  });
  server.serve(source, () => {});
  const askers = createExchange({
    clock,
    onViolation,
    streams: {
      ...UNUSED,
      openStream: async (peerId) => {
        const [near, far] = [new LineEnd(clock, Infinity), new LineEnd(clock, lines.get(peerId) ?? Infinity)];
        [near.other, far.other] = [far, near];
        answer(far as unknown as Stream, peerId);
        return near as unknown as Stream;
      },
    },
  });
  onTestFinished(() => {
    askers.stop();
    server.stop();
  });
  return {
    violations,
    ask: (bytesPerSecond = Infinity) => {
      const peerId = `peer ${lines.size}`;
      lines.set(peerId, bytesPerSecond);
      return askers.openSession(peerId, new AbortController().signal);
    },
  };
}
