/**
 * The service worker: the page's files for use without a network, and the API's requests carried to the tab that leads.
 * Built by vite-plugin-pwa (injectManifest), registered by browser/service-worker. Calls carry, page-files,
 * model-files, handed-over, notified and leader-finder. A carrier without logic: whatever it holds is gone when the
 * browser ends it between two events.
 */
import { refusePort } from "../src/bridge/answering.ts";
import { isApiPath } from "../src/bridge/api-paths.ts";
import { BridgeError } from "../src/bridge/bridge-error.ts";
import { FILES_KEPT_AT_ONCE } from "../src/bridge/limits.ts";
import { SHARE_TARGET_PATH } from "../src/bridge/shared-files.ts";
import { type FilesKept, readToWorker, type ToTab } from "../src/bridge/tab-messages.ts";
import { carry } from "./carry.ts";
import { takeHandedOver } from "./handed-over.ts";
import { LeaderFinder } from "./leader-finder.ts";
import { modelFile } from "./model-files.ts";
import { showPage } from "./notified.ts";
import { PageFiles } from "./page-files.ts";

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

const leader = new LeaderFinder(self.clients);
const pageFiles = new PageFiles(self.__WB_MANIFEST);

self.addEventListener("install", (event) => {
  // A first visit is to have its node soon, and asks for this once it has. A new version takes over with all of its files.
  if (self.registration.active !== null) event.waitUntil(pageFiles.keep());
});

self.addEventListener("activate", (event) => {
  const { registration } = self;
  const isFollowed = () => registration.installing !== null || registration.waiting !== null;
  event.waitUntil(pageFiles.dropOthers(isFollowed).finally(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== self.location.origin) return;
  if (isApiPath(pathname)) {
    event.respondWith(carry(event.request, event.clientId, leader));
  } else if (pathname === SHARE_TARGET_PATH && event.request.method === "POST") {
    event.respondWith(takeHandedOver(event.request));
  } else {
    const file = pageFiles.answer(event.request) ?? modelFile(event) ?? pageFiles.answerFormer(event.request);
    if (file !== undefined) event.respondWith(file);
  }
});

self.addEventListener("message", (event) => {
  const message = readToWorker(event.data);
  const port = event.ports[0];
  if (message?.type === "claim") event.waitUntil(self.clients.claim());
  else if (message?.type === "skip-waiting") event.waitUntil(self.skipWaiting());
  else if (message?.type === "keep-files" && port !== undefined) event.waitUntil(keepFiles(port));
  else if (message?.type === "find-leader" && port !== undefined) {
    event.waitUntil(handOver(port, (event.source as Client | null)?.id ?? ""));
  }
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(showPage(self.clients));
});

async function keepFiles(port: MessagePort): Promise<void> {
  const answer = (kept: FilesKept) => port.postMessage(kept);
  await pageFiles.keep(FILES_KEPT_AT_ONCE).then(
    (allKept) => answer({ allKept }),
    (error: unknown) => answer({ error: String(error) }),
  );
}

/** Hands a tab's port to the leader, or refuses it with the reason. */
async function handOver(port: MessagePort, tab: string): Promise<void> {
  try {
    const { clientId } = await leader.find();
    const client = await self.clients.get(clientId);
    if (client === undefined) throw new BridgeError("closed", "The tab that hosted the node is gone");
    client.postMessage({ type: "serve", tab } satisfies ToTab, [port]);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    refusePort(port, error);
  }
}
