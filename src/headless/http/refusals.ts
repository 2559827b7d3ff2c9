/**
 * The last answers of connections: refusals of what never becomes a Request, in the shape of the API's errors, and answers to
 * requests whose body nobody wants. To close at once would reset the connection under either. Called by the HTTP server.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

interface Refusal {
  status: number;
  message: string;
  headers?: string;
}

/** What Node.js finds wrong with what a client sends; all else is malformed. */
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "Request headers too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "Request timeout" },
};

export const MALFORMED: Refusal = { status: 400, message: "Malformed request" };

/** By the code of Node.js's error. */
export function refusalOf(code = ""): Refusal {
  return REFUSALS[code] ?? MALFORMED;
}

/** Who does not close its end within `lingerMs` is cut off. */
export function sendRefusal(
  socket: Socket,
  { status, message, headers = "" }: Refusal,
  lingerMs: number,
): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({ error: true, code: status, message });
  socket.end(
    `HTTP/1.1 ${status} ${message}\r\n${headers}Connection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Takes in the rest of an unwanted body, for `lingerMs` at most. */
export function lingerForBody(incoming: IncomingMessage, lingerMs: number): void {
  // Behind a body that came whole the next request may be under way.
  const timer = setTimeout(() => !incoming.complete && incoming.socket.destroy(), lingerMs);
  timer.unref();
  incoming.once("close", () => clearTimeout(timer));
  // A reader that stopped half way still listens, and would keep the rest from flowing.
  incoming.removeAllListeners("readable");
  incoming.resume();
}
