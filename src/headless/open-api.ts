/**
 * The REST API of this machine: keys, routes, HTTP server, and the note by which our own commands find it. Called by
 * main and main-vx, with what each has behind the routes.
 */
import { createApp } from "../api/app.ts";
import { gatewayRoutes } from "../api/gateway.ts";
import type { SettingsStore } from "../api/ports.ts";
import type { VxPorts } from "../api/vx/ports.ts";
import type { Webhooks } from "../api/webhooks/webhooks.ts";
import type { FileSearch } from "../search/file-search.ts";
import type { Closers } from "../sharing/closers.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { makeApiKey, openApiKeys } from "./api-keys.ts";
import type { DataFolder } from "./data-folder.ts";
import { type HttpServer, openHttpServer } from "./http/server.ts";
import { type Logger, toLogPort } from "./log.ts";
import { programVersion, readDocsAsset } from "./program.ts";
import { isNodeRunning, removeRunningNode, writeRunningNode } from "./running-node.ts";
import { accessRules } from "./settings/access-rules.ts";
import type { Settings } from "./settings/settings.ts";

export interface ApiParts {
  folder: DataFolder;
  log: Logger;
  closers: Closers;
  vx: VxPorts;
  /** Absent for `shoal vx`. */
  sharing?: { node: SharingNode; search: FileSearch; webhooks: Webhooks; settings: SettingsStore };
}

export async function openApi(
  settings: Settings,
  { folder, log, closers, vx, sharing }: ApiParts,
): Promise<HttpServer> {
  const runKey = makeApiKey();
  const app = createApp({
    ...sharing,
    vx,
    clock,
    version: programVersion(),
    keys: openApiKeys(folder.apiKeysFolder, runKey),
    access: accessRules(settings),
    limits: {
      requestsPerMinute: settings["rate-limit"],
      vxRequestsPerMinute: settings["vx-rate-limit"],
      maxBodyBytes: settings["max-body"],
    },
    log: toLogPort(log, "api"),
    docsAssets: readDocsAsset,
    ...(settings.gateway && { gateway: gatewayRoutes }),
  });
  const server = await closers.keep(
    openHttpServer({
      app,
      host: settings["api-host"],
      port: settings["api-port"],
      trustedProxies: settings["trust-proxy"],
      log,
    }),
    (it) => it.stop(),
  );
  // A node has its folder to itself. Where an index alone joins one, the commands are to find the node.
  if (sharing !== undefined || !(await isNodeRunning(folder.runningFile))) {
    const running = { url: server.url, key: runKey, pid: process.pid };
    await writeRunningNode(folder.runningFile, running);
    closers.add(() => removeRunningNode(folder.runningFile, running));
  }
  log.info({ url: server.url }, "the API is served");
  return server;
}
