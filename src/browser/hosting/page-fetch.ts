/**
 * The `fetch` of the app's own page, the same in every tab: API requests are answered in this tab where it leads, else
 * by the leader over a port; anything else goes to the network. Used by main, which hands it to the screens. These calls
 * are the app's own, so they are not counted by the rate limit.
 */
import { isApiPath } from "../../bridge/api-paths.ts";
import { type BridgeErrorName, isBridgeError } from "../../bridge/bridge-error.ts";
import { type CarriedRequest, carriedFrom, requestOf } from "../../bridge/carried-request.ts";
import { LEADER_WITHIN_MS, MAX_SENDS } from "../../bridge/limits.ts";
import { tooLarge, unavailable } from "../../bridge/refusals.ts";
import { unlessAborted } from "../../sharing/unless-aborted.ts";
import type { Leadership } from "./leader.ts";
import type { LeaderLink } from "./leader-link.ts";

/**
 * When the leader changes while a request waits, one that changes nothing (GET, HEAD) is asked again of the new leader;
 * any other is answered 503, since nobody knows whether it was carried out. A Blob as `init.body` costs no copy.
 * Rejects as soon as the request's signal aborts, whoever is waited for.
 */
export function createPageFetch(leadership: Leadership, link: LeaderLink): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    if (origin !== location.origin || !isApiPath(pathname)) return await fetch(request);
    const carried = await carriedFrom(request, init?.body instanceof Blob ? init.body : undefined);
    return await unlessAborted(askLeader(leadership, link, carried, pathname), carried.signal);
  };
}

/** What an asking end meets while the lead passes from one tab to another. */
const LEADERLESS = new Set<BridgeErrorName>(["closed", "silent", "no_leader", "not_leading"]);

function isHere(leadership: Leadership): boolean {
  const { name } = leadership.state.value;
  return name === "starting" || name === "leading";
}

async function askLeader(
  leadership: Leadership,
  link: LeaderLink,
  carried: CarriedRequest,
  pathname: string,
): Promise<Response> {
  const isSafe = carried.method === "GET" || carried.method === "HEAD";
  let giveUp = performance.now() + LEADER_WITHIN_MS;
  for (let sends = 0; ; ) {
    const change = nextLeader(leadership, link, giveUp - performance.now());
    let wasSent = false;
    try {
      if (isHere(leadership)) {
        wasSent = true;
        return await leadership.answer(requestOf(carried), { address: "page", inProcess: true });
      }
      const asker = await Promise.race([link.open(), change.happened]);
      if (asker !== undefined) {
        wasSent = true;
        return await asker.request(carried, "page");
      }
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      if (error.name === "too_large") return tooLarge(pathname, error.message);
      if (error.name === "silent") leadership.reportSilence();
      if (!LEADERLESS.has(error.name)) return unavailable(pathname, error.message);
      if (wasSent) {
        sends += 1;
        if (!isSafe || sends === MAX_SENDS) return unavailable(pathname, error.message);
        giveUp = performance.now() + LEADER_WITHIN_MS;
      } else await change.happened;
    } finally {
      change.release();
    }
    carried.signal.throwIfAborted();
    if (performance.now() >= giveUp) return unavailable(pathname, "No tab hosts the node");
  }
}

/** Settles, with nothing, when this tab or another gets to lead, or the time is over. */
function nextLeader(leadership: Leadership, link: LeaderLink, withinMs: number) {
  let done!: () => void;
  const happened = new Promise<undefined>((resolve) => {
    done = () => resolve(undefined);
  });
  const timer = setTimeout(done, withinMs);
  const releaseLink = link.onNewLeader(done);
  const releaseState = leadership.state.subscribe(() => isHere(leadership) && done());
  const release = () => {
    clearTimeout(timer);
    releaseLink();
    releaseState();
  };
  return { happened, release };
}
