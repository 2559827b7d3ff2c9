/**
 * The end of an HTTP server: answers under way have a moment to end. Those that have begun are then cut off, and the work of
 * the others is ended, which answer that. Called by the HTTP server as it stops.
 */
import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SharingError } from "../../sharing/errors.ts";
import { DRAIN_MS, UNDO_MS } from "../limits.ts";

export interface Serving {
  /** All that are open. */
  connections: ReadonlySet<Socket>;
  /** By their answers: end what those wait for. */
  underWay: ReadonlyMap<ServerResponse, AbortController>;
}

/** Whatever is done when the work ends is answered as such. */
const BROKEN_OFF = "the node is stopping: what was asked for is not done, or not all of it";

/** Settles when no connection is left. */
export async function drain(server: Server, { connections, underWay }: Serving): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const timers = [
    setTimeout(() => {
      const unanswered = [...underWay].filter(([{ headersSent }]) => !headersSent);
      const waiting = new Set(unanswered.map(([{ req }]) => req.socket));
      for (const socket of connections) if (!waiting.has(socket)) socket.destroy();
      // Whose work ends by that has a moment to undo it, and to tell the client.
      for (const [outgoing, work] of unanswered) {
        // One that still sends would miss the answer.
        outgoing.shouldKeepAlive = !outgoing.req.complete;
        work.abort(new SharingError("stopped", BROKEN_OFF));
      }
    }, DRAIN_MS),
    setTimeout(() => {
      for (const socket of connections) socket.destroy();
    }, DRAIN_MS + UNDO_MS),
  ];
  await closed;
  timers.forEach(clearTimeout);
}
