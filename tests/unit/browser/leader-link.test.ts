/** How a tab without a service worker finds the leader, and whom it calls silent. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serveRequests } from "../../../src/bridge/answering.ts";
import { BroadcastPipe } from "../../../src/bridge/broadcast-pipe.ts";
import { readToAll, TABS_CHANNEL, type ToAll } from "../../../src/bridge/tab-messages.ts";
import { LeaderLink } from "../../../src/browser/hosting/leader-link.ts";
import { type Channel, WatchedChannels } from "../bridge/watched-channels.ts";

const channels = new WatchedChannels();
let tabs: Channel;
beforeEach(() => {
  channels.watch();
  tabs = new BroadcastChannel(TABS_CHANNEL);
});
afterEach(() => {
  vi.unstubAllGlobals();
  channels.closeAll();
});

/** The pipe of the next tab that knocks. */
function nextKnock(): Promise<string> {
  return new Promise((resolve) => {
    tabs.onmessage = (event) => {
      const message = readToAll((event as MessageEvent).data);
      if (message?.type === "knock") resolve(message.pipe);
    };
  });
}

it("knocks again at a tab that leads only since its knock, rather than call it silent", async () => {
  const link = new LeaderLink(() => undefined);
  const unheard = nextKnock();
  const refused = expect(link.open()).rejects.toMatchObject({ name: "closed" });
  await unheard;

  const heard = nextKnock();
  const opened = new Promise<string>((resolve, reject) => {
    link.onNewLeader(() => link.open().then(({ answerer }) => resolve(answerer), reject));
  });
  tabs.postMessage({ type: "leads", leader: "late riser" } satisfies ToAll);
  await refused;
  serveRequests(new BroadcastPipe(await heard, "joins"), async () => new Response(), "late riser");
  expect(await opened).toBe("late riser");
});
