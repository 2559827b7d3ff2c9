/** The REST API of a page's node, with what is the same in every page. Made by start-node; calls createApp. */
import { type ApiApp, createApp } from "../api/app.ts";
import type { ApiPorts, DocsAssetName } from "../api/ports.ts";
import { SharingError } from "../sharing/errors.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { MAX_BODY_BYTES, REQUESTS_PER_MINUTE } from "./limits.ts";
import { openPageLog } from "./page-log.ts";
import { askForPersistence } from "./storage/storage-persistence.ts";

type PagePorts = Required<
  Pick<ApiPorts, "node" | "search" | "vx" | "webhooks" | "settings" | "identity" | "keys">
>;

export function createPageApp(ports: PagePorts): ApiApp {
  return createApp({
    ...ports,
    evictable: { isPersisted: () => navigator.storage.persisted(), persist: askForPersistence },
    clock,
    version: __SHOAL_VERSION__,
    access: { hostNames: [location.hostname], corsOrigins: [] },
    limits: { requestsPerMinute: REQUESTS_PER_MINUTE, maxBodyBytes: MAX_BODY_BYTES },
    log: openPageLog("api"),
    docsAssets: readDocsAsset,
  });
}

/** The host of the page has these files beside it; they are loaded when somebody reads the documentation. */
async function readDocsAsset(name: DocsAssetName): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(`/docs/${name}`);
  if (!response.ok)
    throw new SharingError("stopped", "The host of this page can't be reached for the documentation");
  return new Uint8Array(await response.arrayBuffer());
}
