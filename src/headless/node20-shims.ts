/**
 * What Node.js 20 lacks and our libraries need. What runs a node (commands/service) loads this file before its main, and tests
 * that run libp2p do too. Each shim goes when the oldest Node.js we support has the real thing, and does what it must.
 *
 * - `Promise.withResolvers`: used by libp2p's streams, yamux and WebRTC; Node.js 22 has it.
 * - `WebSocket`: @libp2p/websockets dials with the global of browsers; that of Node.js 22 takes messages of any length, so
 *   ours stands in its place, too.
 * - `AbortSignal.any` leaves word of every signal that it makes in those it was made of, for good, and some of ours live as
 *   long as the node; Node.js 22 forgets it with the signal. Source: https://github.com/nodejs/node/issues/55351
 * - The signal that it makes doesn't hold those that it was made of, either. Collected as garbage, an `AbortSignal.timeout` that
 *   nobody else knows never fires on Node.js 20, and what ended before anybody listened is lost on 24.16 to 26.8.
 *   Sources: https://github.com/nodejs/node/issues/57736, https://github.com/nodejs/node/issues/65995
 * - `CustomEvent` needs none: Node.js 19 has it.
 * - `Reflect.getMetadata`: no Node.js has it; the certificates of TLS and WebRTC need it before their first line.
 */
import "reflect-metadata";
import { WebSocket } from "ws";
import { MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES } from "../network/limits.ts";

interface PromiseWithResolvers {
  withResolvers?: <T>() => {
    promise: Promise<T>;
    resolve: (value: T | PromiseLike<T>) => void;
    reject: (reason?: unknown) => void;
  };
}

(Promise as PromiseWithResolvers).withResolvers ??= <T>() => {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (reason?: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
};

/**
 * Bounded as those that come in. An error before anybody listens must not end the process; whoever waits for the
 * opening hears.
 */
class DialledWebSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols, { maxPayload: MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES });
    this.on("error", () => undefined);
  }
}

globalThis.WebSocket = DialledWebSocket as unknown as typeof globalThis.WebSocket;

const FEW_SIGNALS = 64;

/** How many were left when those of a signal were looked through. */
const leftCounts = new WeakMap<Set<WeakRef<AbortSignal>>, number>();

/** Signals that Node.js keeps word of in a signal, under a symbol of that description. */
function wordOf(signal: AbortSignal, description: string): Set<WeakRef<AbortSignal>> | undefined {
  const symbol = Object.getOwnPropertySymbols(signal).find((key) => key.description === description);
  return symbol && (signal as unknown as Record<symbol, Set<WeakRef<AbortSignal>>>)[symbol];
}

/** Looks through them whenever they are twice as many. */
function forgetCollected(signals: Set<WeakRef<AbortSignal>>): void {
  if (signals.size < 2 * Math.max(FEW_SIGNALS, leftCounts.get(signals) ?? 0)) return;
  for (const signal of signals) if (signal.deref() === undefined) signals.delete(signal);
  leftCounts.set(signals, signals.size);
}

const heldSources = new WeakMap<AbortSignal, AbortSignal[]>();

const nativeAny = AbortSignal.any;
AbortSignal.any = (given) => {
  const sources = [...given];
  const made = nativeAny.call(AbortSignal, sources);
  if (!made.aborted) heldSources.set(made, sources);
  for (const source of wordOf(made, "kSourceSignals") ?? []) {
    const signal = source.deref();
    const dependants = signal && wordOf(signal, "kDependantSignals");
    if (dependants !== undefined) forgetCollected(dependants);
  }
  return made;
};
