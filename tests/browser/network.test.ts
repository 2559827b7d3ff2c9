/** How a page finds its swarm and keeps it: by the page's own port alone, and after its host was gone for a while. */
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../interop/until.ts";
import { provideNodeEvents } from "./node-events.ts";
import { type OpenPage, PageSite, startHost } from "./open-page.ts";

let site: PageSite;
beforeAll(async () => {
  site = await PageSite.start({ flags: ["--swarm", "friends"] });
});
afterAll(() => site[Symbol.asyncDispose]());

interface Peer {
  id: string;
  address: string;
  transport: string;
}

/** Settles once the host says that the page is connected, which asks nothing of the page's own API. */
async function seenByHost(id: string): Promise<Peer> {
  return until(
    "the page is a peer of its host",
    async () => (await site.host.client.peers()).peers.find((peer) => peer.id === id),
    60_000,
  );
}

async function idOf(page: OpenPage): Promise<string> {
  return (await page.api<{ node_id: string }>("node/info")).node_id;
}

/** The page's timers of ten seconds and more never end, so that in it nothing happens because it is time. */
async function withoutLongWaits(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const set = window.setTimeout;
    const without = (run: TimerHandler, ms = 0, ...args: unknown[]) =>
      set(run, ms < 10_000 ? ms : 2 ** 31 - 1, ...args);
    Object.assign(window, { setTimeout: without });
  });
}

/** Settles once the page is connected to the peer by WebRTC; asked seldom, since the API counts requests. */
async function isDirectlyConnected(page: OpenPage, peerId: string): Promise<void> {
  const isConnected = async () => {
    const { peers } = await page.api<{ peers: Peer[] }>("node/peers");
    return peers.some(({ id, transport }) => id === peerId && transport === "webrtc");
  };
  await until("the pages are connected", isConnected, 60_000, 700);
}

/** The first events of a peer's connections that the page's node told. */
async function comingsAndGoings(page: OpenPage, peerId: string, count: number): Promise<string[]> {
  await provideNodeEvents(page.page);
  return page.page.evaluate(
    async ({ peerId, count }) => {
      const told: string[] = [];
      for await (const { event, data } of window.nodeEvents("0")) {
        if (data.peer_id === peerId) told.push(event);
        if (told.length === count) return told;
      }
      throw new Error("the event stream ended");
    },
    { peerId, count },
  );
}

describe("a page", () => {
  it("is in the swarm of its host, reached through it as a relay", async () => {
    await using opened = await site.open();
    await seenByHost(await idOf(opened));
    const { node_id: hostId } = await site.host.client.nodeInfo();
    const info = await until(
      "the page can be dialled",
      async () => {
        const it = await opened.api<{ swarm: string; addresses: string[] }>("node/info");
        return it.addresses.some((address) => address.includes(`${hostId}/p2p-circuit/webrtc`))
          ? it
          : undefined;
      },
      60_000,
    );
    expect(info.swarm).toBe("friends");
  });

  it("finds another of a swarm of their own, of which its host is not", async () => {
    const inFamily = async () => {
      const opened = await site.open();
      await opened.api("settings", "PATCH", { swarm: "family" });
      await opened.page.reload();
      await opened.ready();
      return opened;
    };
    await using first = await inFamily();
    await using second = await inFamily();
    const { fileId } = await first.shareRandom(1000, "family.bin");
    const isListed = async () => {
      const { files } = await second.api<{ files: { id: string }[] }>("files/network");
      return files.some(({ id }) => id === fileId);
    };
    await until("the other page's file is listed", isListed, 60_000, 700);
    await isDirectlyConnected(second, await idOf(first));
    expect((await second.download(fileId)).event).toBe("transfer_complete");
  });

  it("connects by the port that it was loaded from, when no other takes its WebSockets", async () => {
    const { port } = new URL(site.host.pageUrl);
    await using opened = await site.openUnready("/", {
      prepare: (page) =>
        page.routeWebSocket(
          (url) => url.port !== port,
          (socket) => socket.close(),
        ),
    });
    await opened.ready();
    await seenByHost(await idOf(opened));
    const { peers } = await opened.api<{ peers: Peer[] }>("node/peers");
    const { node_id: id } = await site.host.client.nodeInfo();
    expect(peers).toContainEqual(
      expect.objectContaining({ id, address: `127.0.0.1:${port}`, transport: "websocket" }),
    );
  });

  it("says of an address at which nobody answers that it is so, where a browser gives no reason", async () => {
    const opened = await site.open();
    const somebodys = (await idOf(opened)).replace(/.$/, (last) => (last === "x" ? "y" : "x"));
    // Port 2 is reserved for what nobody runs.
    const address = `/ip4/127.0.0.1/tcp/2/ws/p2p/${somebodys}`;
    const { status, body } = await opened.call("/api/v1/node/peers", "POST", { address });
    expect([status, body]).toEqual([
      502,
      expect.objectContaining({ message: expect.not.stringContaining("[object") }),
    ]);
    await opened[Symbol.asyncDispose]();
  });

  it("meets another page again when it is loaded again, which needs no regular word of either", async () => {
    await using standing = await site.openUnready("/", { prepare: withoutLongWaits });
    await standing.ready();
    await using coming = await site.openUnready("/", { prepare: withoutLongWaits });
    await coming.ready();
    const [standingId, comingId] = await Promise.all([idOf(standing), idOf(coming)]);
    await isDirectlyConnected(coming, standingId);
    await coming.page.reload();
    await coming.ready();
    await isDirectlyConnected(coming, standingId);
    // The connection of its former life ended before, though nobody could close it any more.
    expect(await comingsAndGoings(standing, comingId, 3)).toEqual([
      "peer_connected",
      "peer_disconnected",
      "peer_connected",
    ]);
  });

  it("meets another page though it is told of ICE servers that its engine refuses", async () => {
    await using standing = await site.open();
    await using told = await site.openUnready("/", {
      prepare: async (page) => {
        await page.route("**/shoal.json", async (route) => {
          const response = await route.fetch();
          const network = (await response.json()) as { ice_servers: object[] };
          network.ice_servers.push({ urls: "turn:127.0.0.1:1" }, { urls: "stun:127.0.0.1:1?transport=udp" });
          await route.fulfill({ response, json: network });
        });
      },
    });
    await told.ready();
    await isDirectlyConnected(told, await idOf(standing));
  });

  it("comes back to its host, after that was gone", async () => {
    await using opened = await site.open();
    const id = await idOf(opened);
    await seenByHost(id);
    const { port } = new URL(site.host.pageUrl);
    await site.host.stop();
    await until(
      "the page has no peers",
      async () => (await opened.api<{ peers: unknown[] }>("node/peers")).peers.length === 0,
      60_000,
      1000,
    );

    const again = await startHost(site.shoals, {
      folder: site.host.folder,
      flags: ["--web-port", port, "--swarm", "friends"],
    });
    const back = await until(
      "the page is a peer again",
      async () => (await again.client.peers()).peers.find((peer) => peer.id === id),
      60_000,
    );
    // By whichever of the ways on which it listens for pages.
    expect(["websocket", "webrtc-direct"]).toContain(back.transport);
  });
});
