/**
 * Entry of index.html: draws the page at once, registers the service worker, and stands for being the tab that hosts the
 * node, which is loaded then. Joins what the screens ask of their host, and sets `window.shoal` for code of this origin.
 */
import { takesStreams } from "../bridge/carried-request.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { mountApp } from "../ui/app.tsx";
import { onFilesHandedOver } from "./files/handed-files.ts";
import { watchHosting } from "./hosting/hosting.ts";
import { standForLeader } from "./hosting/leader.ts";
import { LeaderLink } from "./hosting/leader-link.ts";
import { createPageFetch } from "./hosting/page-fetch.ts";
import { watchInstallPrompt } from "./install-prompt.ts";
import { keepPageFiles } from "./keep-page-files.ts";
import { hostNodeId } from "./network/shoal-json.ts";
import type { PageGlobal } from "./page-global.ts";
import { openPageLog } from "./page-log.ts";
import { PageSecrets } from "./records/page-secrets.ts";
import { registerServiceWorker } from "./service-worker.ts";
import { askForPersistence } from "./storage/storage-persistence.ts";

const log = openPageLog("page");
const secrets = new PageSecrets();
const apiKey = () => secrets.apiKey();

const loadNode = () => import("./start-node.ts");
const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
// A tab that is loaded again has most likely led, and will when its former self has let go of the lock. Whoever leads is told.
if (navigation?.type === "reload") loadNode().catch(() => undefined);

const worker = registerServiceWorker("/sw.js");
const link = new LeaderLink(worker.active);
const leadership = standForLeader(async (signal) => {
  const { startPageNode } = await loadNode();
  const node = await startPageNode(secrets, (step) => watch.showStep(step), signal);
  const onFailure = (error: unknown) =>
    log.warn("the page's files are not kept yet for use without a network", { error });
  // It ends with the lead alone, of which nobody need be told.
  keepPageFiles({ keepSome: worker.keepFiles, isBusy: node.isBusy, onFailure, clock, signal }).catch(
    () => undefined,
  );
  node.hostToldLater.then(
    () => leadership.startAnew(),
    () => undefined,
  );
  return node;
});
void worker.replaced.then(() => leadership.yieldToNewer());
const watch = watchHosting(leadership, link);

const runs = watch.hosting.until(({ state }) => state === "running");
const ready = Promise.all([worker.controls(), runs]).then(() => undefined);
ready.catch(() => undefined);
window.shoal = Object.freeze<PageGlobal>({ apiKey, ready });

const root = document.querySelector<HTMLElement>("#app");
if (root === null) throw new Error("index.html has no #app");
mountApp(root, {
  apiOrigin: location.origin,
  served: () => worker.controls(),
  fetch: createPageFetch(leadership, link),
  apiKey,
  replaceApiKey: () => secrets.replaceApiKey(),
  takesStreams: takesStreams(),
  decodeText: async (bytes) => (await import("../search/texts/decoding.ts")).decodeText(bytes),
  askForPersistence,
  nodeId: () => hostNodeId(new URL(location.origin), log),
  hosting: watch.hosting,
  update: worker.update,
  install: watchInstallPrompt(),
  onFilesHandedOver,
});
