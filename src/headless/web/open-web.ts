/**
 * The web port: serves the built page to browsers and takes WebSockets of the swarm there. Called by main; calls
 * page-files, web-app and the HTTP server.
 */
import type { ExpectedPosts } from "../../exchange/asking/expected-posts.ts";
import type { OfferedSides } from "../../exchange/serving/offered-sides.ts";
import type { Closers } from "../../sharing/closers.ts";
import type { Swarm } from "../../sharing/ports.ts";
import { type HttpServer, openHttpServer } from "../http/server.ts";
import { MAX_WEB_CONNECTIONS } from "../limits.ts";
import { type Logger, toLogPort } from "../log.ts";
import type { RelayStun } from "../network/relay-stun.ts";
import type { WebSocketDoor } from "../network/web-socket-door.ts";
import { pageFolder } from "../page-folder.ts";
import type { Settings } from "../settings/settings.ts";
import { readPageCertificate } from "./page-certificate.ts";
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
    tls: await readPageCertificate(settings),
    onUpgrade: door.take,
    maxConnections: MAX_WEB_CONNECTIONS,
    trustedProxies: settings["trust-proxy"],
    log,
  });
  return closers.keep(opening, (it) => it.stop());
}
