/** The page under test: leader election, worker and fetch as in the real page, around a small app. */
import { takeSharedFiles } from "../../../src/bridge/shared-files.ts";
import { type Leadership, standForLeader } from "../../../src/browser/hosting/leader.ts";
import { LeaderLink } from "../../../src/browser/hosting/leader-link.ts";
import { createPageFetch } from "../../../src/browser/hosting/page-fetch.ts";
import { type PageWorker, registerServiceWorker } from "../../../src/browser/service-worker.ts";
import { createSmallApp, patternBytes, sha256 } from "./small-app.ts";

export interface BridgePage {
  version: string;
  tab: string;
  /** What the app in this tab saw, and what became of this tab. */
  seen: string[];
  leadership: Leadership;
  worker: PageWorker;
  fetch: typeof fetch;
  patternBytes: typeof patternBytes;
  sha256: typeof sha256;
  takeSharedFiles: typeof takeSharedFiles;
}

declare global {
  interface Window {
    bridgePage: BridgePage;
  }
  /** Set by the build. */
  const __PAGE_VERSION__: string;
}

const tab = crypto.randomUUID();
const seen: string[] = [];
const { searchParams } = new URL(location.href);

const leadership = standForLeader(async () => {
  if (searchParams.has("fails")) throw new Error("the store can't be opened");
  const app = createSmallApp(tab, seen);
  return {
    answer: async (request, client) => await app.fetch(request, { client }),
    isBusy: () => false,
    stop: async () => {
      seen.push("stopped");
    },
  };
});
leadership.state.subscribe(({ name }) => seen.push(name));

const worker: PageWorker = searchParams.has("worker-less")
  ? {
      active: () => undefined,
      controls: () => new Promise(() => undefined),
      keepFiles: () => new Promise(() => undefined),
      update: { value: undefined, subscribe: () => () => undefined },
      replaced: new Promise(() => undefined),
    }
  : registerServiceWorker("/sw.js");
void worker.replaced.then(() => leadership.yieldToNewer());
const link = new LeaderLink(() => worker.active());

window.bridgePage = {
  version: __PAGE_VERSION__,
  tab,
  seen,
  leadership,
  worker,
  fetch: createPageFetch(leadership, link),
  patternBytes,
  sha256,
  takeSharedFiles,
};
