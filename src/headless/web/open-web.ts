/**
 * The web port: serves the built page to browsers and takes WebSockets of the swarm there. Called by main; calls
 * page-files, web-app and the HTTP server.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { ExpectedPosts } from "../../exchange/expected-posts.ts";
import type { OfferedSides } from "../../exchange/offered-sides.ts";
import { CommandError } from "../command-error.ts";
import { type HttpServer, openHttpServer, type TakeUpgrade } from "../http/server.ts";
import { MAX_PEM_BYTES, MAX_WEB_CONNECTIONS } from "../limits.ts";
import { type Logger, toLogPort } from "../log.ts";
import { pageFolder } from "../page-folder.ts";
import type { Settings } from "../settings/settings.ts";
import { openPageFiles } from "./page-files.ts";
import type { ReachableNode } from "./shoal-json.ts";
import { createWebApp } from "./web-app.ts";

/** @throws CommandError `start_failed`, `usage`; the system's error when it can't listen */
export async function openWeb(
  settings: Settings,
  {
    port,
    node,
    sides,
    posts,
    takeWebSocket,
    log,
  }: {
    port: number;
    node: ReachableNode;
    sides: OfferedSides;
    posts: ExpectedPosts;
    takeWebSocket: TakeUpgrade;
    log: Logger;
  },
): Promise<HttpServer> {
  const hostNames = settings["host-name"];
  return openHttpServer({
    app: createWebApp({
      files: await openPageFiles(pageFolder()),
      node,
      sides,
      posts,
      hostNames,
      log: toLogPort(log, "web"),
    }),
    host: settings["web-host"],
    port,
    tls: await readTls(settings),
    onUpgrade: takeWebSocket,
    maxConnections: MAX_WEB_CONNECTIONS,
    trustedProxies: settings["trust-proxy"],
    log,
  });
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
