/**
 * The connections of an HTTP server, as many as there are places for: those that it serves, those that it gave away, and
 * those whose TLS has not begun. Called by the HTTP server; calls places.
 */
import type { Server, Socket } from "node:net";
import { RepeatedWarning } from "../../sharing/repeated-warning.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import type { Logger } from "../log.ts";
import { Places } from "./places.ts";

/** All that are open, at any time. */
export function boundConnections(
  server: Server,
  { maxConnections, log }: { maxConnections: number; log: Pick<Logger, "warn"> },
): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  const places = new Places(maxConnections);
  const refusals = new RepeatedWarning(
    { clock: systemClock, log: { warn: (message, details) => log.warn(details, message) } },
    "too many connections over HTTP",
  );
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    const refused = places.take(socket);
    if (refused === undefined) return;
    refused.destroy();
    refusals.tell({ connections: maxConnections });
  });
  return connections;
}
