/** Many askers of one server, each over a line in memory, on a clock that is moved by hand: what a real crowd does in hours. */
import type { Stream } from "@libp2p/interface";
import { onTestFinished } from "vitest";
import { createExchange, type Rates, type RunningExchange } from "../../../src/exchange/exchange.ts";
import type { BlockSource, PeerSession } from "../../../src/sharing/ports.ts";
import type { HandClock } from "../hand-clock.ts";
import { lineOf } from "./line.ts";

/** A server that its test opens lines to. */
export function startServer(
  clock: HandClock,
  source: BlockSource,
  rates: Rates = {},
  originOf = (peerId: string) => peerId,
) {
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
      doubt: () => {},
      transportOf: () => "tcp",
      originOf,
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
        const { near, far } = lineOf(clock, { farBytesPerSecond: lines.get(peerId) });
        answer(far.asStream, peerId);
        return near.asStream;
      },
      handle: () => {},
      doubt: () => {},
      transportOf: () => "tcp",
      originOf: (peerId) => peerId,
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
