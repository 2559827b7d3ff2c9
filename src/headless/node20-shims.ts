/**
 * What Node.js 20 lacks and our libraries need. The entry imports this file before all else, and tests that run
 * libp2p do too. Each shim goes when the oldest Node.js we support has the real thing.
 *
 * - `Promise.withResolvers`: used by libp2p's streams, yamux and WebRTC; Node.js 22 has it.
 * - `WebSocket`: @libp2p/websockets dials with the global of browsers; Node.js 22 has it.
 * - `CustomEvent` needs none: Node.js 19 has it.
 * - `Reflect.getMetadata`: no Node.js has it; the certificates of TLS and WebRTC need it before their first line.
 */
import "reflect-metadata";
import { WebSocket } from "ws";

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

globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;
