/**
 * The HTTP server around the API and around the page: Node.js messages in, Request and Response inside. Opened by
 * open-api and open-web; calls the app. Limits what clients can hold: connections, headers, silence. Written here
 * rather than taken from @hono/node-server, which answers odd hosts itself, prints errors, and ends a broken body with
 * their text.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { ApiClient } from "../../api/ports.ts";
import { SharingError } from "../../sharing/errors.ts";
import { RepeatedWarning } from "../../sharing/repeated-warning.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import {
  DRAIN_MS,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  LINGER_MS,
  MAX_API_CONNECTIONS,
  MAX_HEADER_BYTES,
  SLOW_CHECK_MS,
  UNDO_MS,
} from "../limits.ts";
import type { Logger } from "../log.ts";
import { createClientAddress } from "./client-address.ts";
import { Places } from "./places.ts";
import { toRequest } from "./request.ts";
import { RequestLines } from "./request-lines.ts";
import { sendResponse } from "./response.ts";
import { cutOffWhenSlow } from "./slow-clients.ts";

/** Takes a connection whose client asked for another protocol (RFC 9110, 7.8); `head` is what it sent beyond. */
export type TakeUpgrade = (incoming: IncomingMessage, socket: Socket, head: Buffer) => void;

export interface HttpServerOptions {
  app: { fetch(request: Request, client: ApiClient): Promise<Response> };
  host: string;
  /** 0: any free one. */
  port: number;
  /** Certificate chain and key in PEM; absent: plain HTTP. */
  tls?: { cert: Buffer; key: Buffer } | undefined;
  /** Absent: such requests are answered as any other. */
  onUpgrade?: TakeUpgrade;
  trustedProxies: readonly string[];
  log: Pick<Logger, "error" | "warn">;
  maxConnections?: number;
  headersTimeoutMs?: number;
  slowCheckMs?: number;
  lingerMs?: number;
}

export interface HttpServer {
  /** Where it listens, as other programs of this machine reach it. */
  readonly url: string;
  /**
   * Lets answers under way end for a moment, cuts off those that have begun, and ends the work of the others, which
   * answer that.
   */
  stop(): Promise<void>;
}

/** @throws the system's error when it can't listen */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, log, headersTimeoutMs = HEADERS_TIMEOUT_MS } = options;
  const { slowCheckMs = SLOW_CHECK_MS, lingerMs = LINGER_MS } = options;
  const clientAddress = createClientAddress(options.trustedProxies);
  /** By their answers: end what those wait for. */
  const underWay = new Map<ServerResponse, AbortController>();
  const lines = new RequestLines();
  /** The last answer of each connection. */
  const answers = new WeakMap<Socket, ServerResponse>();
  /** The last request of each connection, which may still wait for its turn. */
  const newest = new WeakMap<Socket, IncomingMessage>();

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [work, client] = [new AbortController(), new AbortController()];
    answers.set(incoming.socket, outgoing);
    underWay.set(outgoing, work);
    outgoing.once("close", () => {
      underWay.delete(outgoing);
      for (const abort of [work, client]) abort.abort(new Error("the client is gone"));
    });
    cutOffWhenSlow(incoming, outgoing, slowCheckMs);
    let request: Request;
    try {
      request = toRequest(incoming, work.signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      sendRefusal(incoming.socket, { status: 400, message: "Malformed request", lingerMs });
      return;
    }
    const response = await app.fetch(request, { address: clientAddress(incoming) });
    await sendResponse(response, outgoing, client.signal);
    if (!incoming.complete) lingerForBody(incoming, lingerMs);
  }

  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 5000),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  };
  const server =
    options.tls === undefined
      ? createServer(limits)
      : createTlsServer({ ...limits, ...options.tls, handshakeTimeout: headersTimeoutMs });
  /** Those that Node.js serves, those that it gave away, and those whose TLS has not begun. */
  const connections = new Set<Socket>();
  const maxConnections = options.maxConnections ?? MAX_API_CONNECTIONS;
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
  server.on("request", (incoming, outgoing) => {
    newest.set(incoming.socket, incoming);
    lines.answer(incoming.socket, () =>
      answer(incoming, outgoing).catch((error: unknown) => {
        const isForeseen = error instanceof SharingError;
        if (isForeseen) log.warn({ reason: error.message }, "an answer broke off");
        else log.error({ error }, "an answer broke off");
        outgoing.destroy();
      }),
    );
  });
  // One that nobody knows may be passed over (RFC 9110, 10.1.1); Node.js would refuse it past the app, without a body.
  server.on("checkExpectation", (incoming, outgoing) => void server.emit("request", incoming, outgoing));
  if (options.onUpgrade !== undefined) {
    const { onUpgrade } = options;
    server.on("upgrade", (incoming, socket: Socket, head) => {
      outliveErrors(socket);
      onUpgrade(incoming, socket, head);
    });
  }
  server.on("clientError", (error: Error & { code?: string }, socket: Socket) => {
    // What follows a request that asked to close is nobody's (RFC 9112, 9.6); its answer closes.
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    const [status, message] = CLIENT_ERRORS[error.code ?? ""] ?? [400, "Malformed request"];
    const last = answers.get(socket);
    const isWithinAnswer = last?.headersSent === true && !last.writableFinished;
    const isBehindWhole = newest.get(socket)?.complete === true;
    const refuse = () => sendRefusal(socket, { status, message, lingerMs });
    // It would be read as a part of that.
    if (isWithinAnswer) socket.destroy();
    // It would be read as the answer to what came whole before, which is carried out.
    else if (isBehindWhole) lines.answer(socket, async () => void (socket.writable && refuse()));
    else refuse();
  });
  server.on("connect", (_incoming, socket: Socket) => {
    outliveErrors(socket);
    // It names a host to connect to and no path here, so that nothing is allowed (RFC 9110, 10.2.1).
    sendRefusal(socket, { status: 405, message: "Method not allowed", headers: "Allow: \r\n", lingerMs });
  });

  server.listen({ host: options.host, port: options.port });
  await once(server, "listening");
  // Of a connection that the system could not give: an error that nobody hears would end the process.
  server.on("error", (error) => log.error({ error }, "a connection over HTTP could not be taken"));

  return {
    url: urlOf(options.tls === undefined ? "http" : "https", server.address() as AddressInfo),
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const timers = [
        setTimeout(() => {
          const unanswered = [...underWay].filter(([{ headersSent }]) => !headersSent);
          const waiting = new Set(unanswered.map(([{ req }]) => req.socket));
          for (const socket of connections) if (!waiting.has(socket)) socket.destroy();
          // Whose work ends by that has a moment to undo it, and to tell the client.
          for (const [outgoing, work] of unanswered) {
            // One that still sends would miss the answer.
            outgoing.shouldKeepAlive = !outgoing.req.complete;
            work.abort(new SharingError("stopped", "the node is stopping"));
          }
        }, DRAIN_MS),
        setTimeout(() => {
          for (const socket of connections) socket.destroy();
        }, DRAIN_MS + UNDO_MS),
      ];
      await closed;
      timers.forEach(clearTimeout);
    },
  };
}

const CLIENT_ERRORS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, "Request headers too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request timeout"],
};

interface Refusal {
  status: number;
  message: string;
  headers?: string;
  lingerMs: number;
}

/** For what never becomes a Request, in the shape of the API's errors. Who does not close its end is given a moment. */
function sendRefusal(socket: Socket, { status, message, headers = "", lingerMs }: Refusal): void {
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

/** Of a socket that is no longer Node.js's own to serve it hears nothing more: a client that resets it would end the process. */
function outliveErrors(socket: Socket): void {
  socket.on("error", () => socket.destroy());
}

/** Takes in the rest of an unwanted body for a moment: closing at once would reset the connection under our answer. */
function lingerForBody(incoming: IncomingMessage, lingerMs: number): void {
  // Behind a body that came whole the next request may be under way.
  const timer = setTimeout(() => !incoming.complete && incoming.socket.destroy(), lingerMs);
  timer.unref();
  incoming.once("close", () => clearTimeout(timer));
  // A reader that stopped half way still listens, and would keep the rest from flowing.
  incoming.removeAllListeners("readable");
  incoming.resume();
}

function urlOf(scheme: string, { address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `${scheme}://127.0.0.1:${port}`;
  return family === "IPv6" ? `${scheme}://[${address}]:${port}` : `${scheme}://${address}:${port}`;
}
