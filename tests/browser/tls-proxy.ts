/**
 * A reverse proxy that ends TLS before the port that serves the page, with the manners of those that stand before real sites, and
 * the certificate that it and hosts show. Used by tests of the page.
 */
import "../../src/headless/node20-shims.ts";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { generateCertificate } from "@libp2p/tls/utils";

/** Makes Chromium take the certificate. */
export const TRUSTING = ["--ignore-certificate-errors"];

/** What it does with requests beneath /exchange/. */
export type Manner =
  | "passes all on"
  /** Bodies and answers are collected whole before they go on. */
  | "buffers"
  /** Bodies are too long for it, and what takes long is cut off. */
  | "refuses"
  /** Bodies are taken, and nobody answers. */
  | "swallows posts"
  /** Only who brings the cookie that came with the page is let in. */
  | "asks for a cookie";

const COOKIE = "visitor=known";

/** A certificate that nobody has signed, in a folder that is removed when this is disposed. */
export class Certificate implements AsyncDisposable {
  readonly cert: string;
  readonly key: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.cert = join(folder, "cert.pem");
    this.key = join(folder, "key.pem");
  }

  static async make(): Promise<Certificate> {
    const made = new Certificate(await mkdtemp(join(tmpdir(), "shoal-tls-")));
    const { cert, key } = await generateCertificate(await generateKeyPair("Ed25519"));
    await Promise.all([writeFile(made.cert, cert), writeFile(made.key, key)]);
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export class TlsProxy implements AsyncDisposable {
  manner: Manner = "passes all on";
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Duplex>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
    server.on("request", (incoming, answer) => void this.#handle(incoming, answer));
    server.on("upgrade", (incoming, client, head) => this.#upgrade(incoming, client, head));
    server.on("connection", (socket) => this.#keep(socket));
  }

  static async before(url: string, certificate: Certificate): Promise<TlsProxy> {
    const [cert, key] = await Promise.all([readFile(certificate.cert), readFile(certificate.key)]);
    const proxy = new TlsProxy(createServer({ cert, key }), Number(new URL(url).port));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const isExchange = incoming.url?.startsWith("/exchange/") ?? false;
    const manner = isExchange ? this.manner : "passes all on";
    const isPost = incoming.method === "POST";
    const hasCookie = incoming.headers.cookie?.includes(COOKIE) ?? false;
    if (manner === "asks for a cookie" && !hasCookie) return refuse(incoming, answer, 401);
    if (manner === "refuses") return refuse(incoming, answer, isPost ? 413 : 504);
    if (manner === "swallows posts" && isPost) return void incoming.resume();
    const { method, url: path, headers } = incoming;
    const onward = request({ host: "127.0.0.1", port: this.#port, method, path, headers });
    for (const stream of [incoming, answer, onward]) {
      stream.on("error", () => {
        onward.destroy();
        answer.destroy();
      });
    }
    answer.on("close", () => onward.destroy());
    onward.on("response", async (from) => {
      const headers = { ...from.headers, "set-cookie": [`${COOKIE}; Secure; SameSite=Strict`] };
      const held = manner === "buffers" ? await buffer(from).catch(() => undefined) : undefined;
      answer.writeHead(from.statusCode ?? 502, headers);
      if (held === undefined) from.pipe(answer);
      else answer.end(held);
    });
    if (manner === "buffers") onward.end(await buffer(incoming));
    else incoming.pipe(onward);
  }

  #upgrade({ url, headers, rawHeaders }: IncomingMessage, client: Duplex, head: Buffer): void {
    const host = connect(this.#port, "127.0.0.1");
    this.#keep(host);
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
    host.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    host.write(head);
    for (const socket of [client, host]) {
      socket.on("error", () => {
        client.destroy();
        host.destroy();
      });
    }
    if (headers.upgrade === "websocket") client.pipe(host).pipe(client);
    else client.destroy();
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }
}

function refuse(incoming: IncomingMessage, answer: ServerResponse, status: number): void {
  incoming.resume();
  answer.writeHead(status).end();
}
