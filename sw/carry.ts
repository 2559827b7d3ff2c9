/**
 * One API request, carried whole to the tab that leads, and its answer back. Called by sw; calls leader-finder. When the
 * leader goes away in the middle, what changes nothing is asked again of the next one; anything else is answered 503.
 */
import { BridgeError, isBridgeError } from "../src/bridge/bridge-error.ts";
import { MAX_SENDS } from "../src/bridge/limits.ts";
import { refusal, tooLarge, unavailable } from "../src/bridge/refusals.ts";
import type { LeaderFinder } from "./leader-finder.ts";

/**
 * @param clientId the page that asks; its requests are counted together. A navigation has none, and all share one count.
 */
export async function carry(request: Request, clientId: string, leader: LeaderFinder): Promise<Response> {
  const { pathname } = new URL(request.url);
  const isSafe = request.method === "GET" || request.method === "HEAD";
  if (request.mode === "navigate" && !isSafe) {
    // A form of any site ends here; its origin can't be seen, and the app sends none.
    return refusal(pathname, 403, "forbidden", "Forms are not taken here");
  }
  for (let sends = 1; ; sends++) {
    try {
      const { asker } = await leader.find();
      return await asker.request(request, clientId || "navigation");
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      if (error.name === "failed") return refusal(pathname, 500, "internal", "Internal server error");
      if (error.name === "too_large") return tooLarge(pathname, error.message);
      if (error.name === "silent") leader.reportSilence();
      const leaderWent = isBridgeError(error, "closed", "silent", "not_leading");
      if (!leaderWent || !isSafe || sends === MAX_SENDS) return unavailable(pathname, error.message);
    }
  }
}
