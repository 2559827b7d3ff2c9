/**
 * The HTTP server around the API and around the page: Node.js messages in, Request and Response inside. Opened by
 * open-api and open-web; calls the app. Limits what clients can hold: connections, headers, silence. Written here
 * rather than taken from @hono/node-server, which answers odd hosts itself, prints errors, and ends a broken body with
 * their text.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { ApiClient } from "../../api/ports.ts";
import { joinHostPort } from "../../network/connecting/remote-address.ts";
import { SharingError } from "../../sharing/errors.ts";
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  LINGER_MS,
  MAX_API_CONNECTIONS,
  MAX_HEADER_BYTES,
  SLOW_CHECK_MS,
} from "../limits.ts";
import type { Logger } from "../log.ts";
import { isAnyHost } from "../loopback.ts";
import { createClientAddress } from "./client-address.ts";
import { boundConnections } from "./connections.ts";
import { drain } from "./drain.ts";
import { lingerForBody, MALFORMED, refusalOf, sendRefusal } from "./refusals.ts";
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
  /** As drain says. */
  stop(): Promise<void>;
}

/** @throws the system's error when it can't listen */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, log, onUpgrade, maxConnections = MAX_API_CONNECTIONS } = options;
  const { slowCheckMs = SLOW_CHECK_MS, lingerMs = LINGER_MS } = options;
  const clientAddress = createClientAddress(options.trustedProxies);
  const underWay = new Map<ServerResponse, AbortController>();
  const lines = new RequestLines();

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [work, client] = [new AbortController(), new AbortController()];
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
      sendRefusal(incoming.socket, MALFORMED, lingerMs);
      return;
    }
    const response = await app.fetch(request, { address: clientAddress(incoming) });
    await sendResponse(response, outgoing, client.signal);
    if (!incoming.complete) lingerForBody(incoming, lingerMs);
  }

  const server = createNodeServer(options);
  const connections = boundConnections(server, { maxConnections, log });
  server.on("request", (incoming, outgoing) => {
    lines.take(incoming, outgoing, () =>
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
  if (onUpgrade !== undefined) {
    server.on("upgrade", (incoming, socket: Socket, head) => {
      outliveErrors(socket);
      lines.leave(socket, () => onUpgrade(incoming, socket, head));
    });
  }
  server.on("clientError", ({ code }: Error & { code?: string }, socket: Socket) => {
    // What follows a request that asked to close is nobody's (RFC 9112, 9.6); its answer closes.
    if (code === "HPE_CLOSED_CONNECTION") return;
    lines.end(socket, () => sendRefusal(socket, refusalOf(code), lingerMs));
  });
  server.on("connect", (_incoming, socket: Socket) => {
    outliveErrors(socket);
    // It names a host to connect to and no path here, so that nothing is allowed (RFC 9110, 10.2.1).
    const refusal = { status: 405, message: "Method not allowed", headers: "Allow: \r\n" };
    lines.leave(socket, () => sendRefusal(socket, refusal, lingerMs));
  });

  server.listen({ host: options.host, port: options.port });
  await once(server, "listening");
  // Of a connection that the system could not give: an error that nobody hears would end the process.
  server.on("error", (error) => log.error({ error }, "a connection over HTTP could not be taken"));

  return {
    url: urlOf(options.tls === undefined ? "http" : "https", server.address() as AddressInfo),
    stop: () => drain(server, { connections, underWay }),
  };
}

function createNodeServer({ tls, headersTimeoutMs = HEADERS_TIMEOUT_MS }: HttpServerOptions): Server {
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 5000),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  };
  if (tls === undefined) return createServer(limits);
  return createTlsServer({ ...limits, ...tls, handshakeTimeout: headersTimeoutMs });
}

/** Of a socket that is no longer Node.js's own to serve it hears nothing more: a client that resets it would end the process. */
function outliveErrors(socket: Socket): void {
  socket.on("error", () => socket.destroy());
}

function urlOf(scheme: string, { address, port }: AddressInfo): string {
  return `${scheme}://${joinHostPort(isAnyHost(address) ? "127.0.0.1" : address, port)}`;
}
