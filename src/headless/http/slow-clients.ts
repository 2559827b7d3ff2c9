/**
 * Cuts off clients that trickle a body in or take an answer drop by drop, which would hold a connection and its
 * buffers for ever. Called by the HTTP server for each request. A client that waits for us is never cut off:
 * sharing a large file takes minutes without a byte on the wire.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SLOW_CHECK_BYTES, SLOW_CHECKS } from "../limits.ts";

export function cutOffWhenSlow(incoming: IncomingMessage, outgoing: ServerResponse, checkMs: number): void {
  const { socket } = incoming;
  let movedBytes = socket.bytesRead + socket.bytesWritten;
  let slowChecks = 0;

  const timer = setInterval(() => {
    const nowMovedBytes = socket.bytesRead + socket.bytesWritten;
    const isSlow = nowMovedBytes - movedBytes < SLOW_CHECK_BYTES;
    movedBytes = nowMovedBytes;
    slowChecks = isSlow && (owesBody(incoming) || owesReading(outgoing)) ? slowChecks + 1 : 0;
    if (slowChecks >= SLOW_CHECKS) socket.destroy();
  }, checkMs);
  timer.unref();
  outgoing.once("close", () => clearInterval(timer));
}

/** The body is not whole, and nothing of it waits here to be read. */
function owesBody(incoming: IncomingMessage): boolean {
  return !incoming.complete && incoming.readableLength === 0;
}

/** Our buffers are full, so the client is not reading. */
function owesReading(outgoing: ServerResponse): boolean {
  return outgoing.writableNeedDrain || (outgoing.writableEnded && !outgoing.writableFinished);
}
