/**
 * The web port: serves the built page to browsers and takes WebSockets of the swarm there. Called by main; calls
 * page-files, web-app and the HTTP server.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { ExpectedPosts } from "../../exchange/asking/expected-posts.ts";
import type { OfferedSides } from "../../exchange/serving/offered-sides.ts";
import type { Closers } from "../../sharing/closers.ts";
import type { Swarm } from "../../sharing/ports.ts";
import { CommandError } from "../command-error.ts";
import { type HttpServer, openHttpServer } from "../http/server.ts";
import { MAX_PEM_BYTES, MAX_WEB_CONNECTIONS } from "../limits.ts";
import { type Logger, toLogPort } from "../log.ts";
import type { RelayStun } from "../network/relay-stun.ts";
import type { WebSocketDoor } from "../network/web-socket-door.ts";
import { pageFolder } from "../page-folder.ts";
import type { Settings } from "../settings/settings.ts";
import { openPageFiles } from "./page-files.ts";
import { createWebApp } from "./web-app.ts";

interface OpenWebParts {
  swarm: Swarm;
  sides: OfferedSides;
  posts: ExpectedPosts;
  door: WebSocketDoor;
  stun: RelayStun | undefined;
  log: Logger;
  closers: Closers;
}

/** Undefined without `--web-port`. @throws CommandError `start_failed`, `usage`; the system's error when it can't listen */
export async function openWeb(
  settings: Settings,
  { swarm, sides, posts, door, stun, log, closers }: OpenWebParts,
): Promise<HttpServer | undefined> {
  const { "web-port": port } = settings;
  if (port === undefined) return undefined;
  const app = createWebApp({
    files: await openPageFiles(pageFolder()),
    node: {
      swarm: swarm.name,
      nodeId: swarm.nodeId,
      addresses: () => swarm.addresses(),
      isRelay: settings.relay,
      iceServers: settings["ice-server"],
      stun,
      hasSearch: settings.search,
    },
    sides,
    posts,
    hostNames: settings["host-name"],
    log: toLogPort(log, "web"),
  });
  const opening = openHttpServer({
    app,
    host: settings["web-host"],
    port,
    tls: await readTls(settings),
    onUpgrade: door.take,
    maxConnections: MAX_WEB_CONNECTIONS,
    trustedProxies: settings["trust-proxy"],
    log,
  });
  return closers.keep(opening, (it) => it.stop());
}

async function readTls(settings: Settings): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  const { "tls-cert": cert, "tls-key": key } = settings;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new CommandError("usage", "--tls-cert and --tls-key are given together");
  }
  const tls = { cert: await readPem("--tls-cert", cert), key: await readPem("--tls-key", key) };
  try {
    createSecureContext(tls);
    // With a key of another kind, such as RSA for EC, the context is made, and every handshake fails.
    const isOfKey = new X509Certificate(tls.cert).checkPrivateKey(createPrivateKey(tls.key));
    if (!isOfKey) throw new Error("the key is another certificate's");
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    const files = `--tls-cert ${cert} and --tls-key ${key}`;
    throw new CommandError("usage", `${files} are no certificate with its key: ${reason}`, { cause: error });
  }
  return tls;
}

async function readPem(flag: string, path: string): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength > MAX_PEM_BYTES) throw new Error("the file is too long");
    return bytes;
  } catch (error) {
    throw new CommandError("usage", `${flag} ${path}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
