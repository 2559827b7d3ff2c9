/**
 * What a first visit costs: bytes of script before the node starts, and the time until a person can drop a file. Used by
 * bench browser; each visit in a browser that has never seen the page.
 */
import type { CDPSession } from "playwright";
import type { PageSite } from "../browser/open-page.ts";
import { median } from "./results.ts";

/** The script of the node, which is asked for once the screen is there. */
const NODE_SCRIPT = /\/start-node-/;

export interface FirstLoad {
  /** Compressed, as they came. */
  scriptBytes: number;
  usableMs: number;
  nodeMs: number;
}

export async function measureFirstLoads(site: PageSite, count: number): Promise<FirstLoad> {
  const loads: FirstLoad[] = [];
  for (let i = 0; i < count; i++) loads.push(await firstLoad(site));
  return {
    scriptBytes: median(loads.map(({ scriptBytes }) => scriptBytes)),
    usableMs: median(loads.map(({ usableMs }) => usableMs)),
    nodeMs: median(loads.map(({ nodeMs }) => nodeMs)),
  };
}

async function firstLoad(site: PageSite): Promise<FirstLoad> {
  let scripts: () => number = () => 0;
  const opened = await site.openUnready("/", {
    prepare: async (page) => {
      scripts = await countScripts(await page.context().newCDPSession(page));
      await page.addInitScript(() => {
        new MutationObserver((_changes, observer) => {
          if (document.querySelector("input[type=file]") === null) return;
          observer.disconnect();
          performance.mark("usable");
        }).observe(document, { childList: true, subtree: true });
      });
    },
  });
  await opened.page.waitForFunction(() => performance.getEntriesByName("usable").length > 0);
  await opened.ready();
  const { usableMs, nodeMs } = await opened.page.evaluate(() => ({
    usableMs: performance.getEntriesByName("usable")[0]?.startTime ?? Number.NaN,
    nodeMs: performance.now(),
  }));
  const load = { scriptBytes: scripts(), usableMs, nodeMs };
  await opened[Symbol.asyncDispose]();
  return load;
}

/** Gives what counts the bytes of scripts that came before the node's was asked for. */
async function countScripts(cdp: CDPSession): Promise<() => number> {
  const urls = new Map<string, string>();
  let bytes = 0;
  let isNodeAsked = false;
  cdp.on("Network.requestWillBeSent", ({ requestId, request: { url } }) => {
    if (NODE_SCRIPT.test(url)) isNodeAsked = true;
    if (!isNodeAsked && url.endsWith(".js")) urls.set(requestId, url);
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (urls.has(requestId)) bytes += encodedDataLength;
  });
  await cdp.send("Network.enable");
  return () => bytes;
}
