/** A page among peers that lie and leave, its tabs that close, and the page without its host. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TransferDetails } from "../../src/api/transfer-bodies.ts";
import { baitedFile, sendBlock, serveBaited } from "../attacks/baited-file.ts";
import { HostileNode } from "../attacks/hostile-node.ts";
import { until } from "../interop/until.ts";
import { allKept, ENDS, OpenPage, PageSite } from "./open-page.ts";

const MIB = 1024 * 1024;

let site: PageSite;
beforeAll(async () => {
  site = await PageSite.start();
});
afterAll(() => site[Symbol.asyncDispose]());

const idOf = async (page: OpenPage) => (await page.api<{ node_id: string }>("node/info")).node_id;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function startDownload(page: OpenPage, fileId: string): Promise<string> {
  const body = { file_id: fileId };
  return (await page.api<{ transfer_id: string }>("transfers/download", "POST", body)).transfer_id;
}

/** Settles once the condition holds of what the page's API says; asked seldom, since the API counts requests. */
const untilPage = (what: string, condition: () => Promise<boolean>) => until(what, condition, 60_000, 1000);

/** Settles once the page knows that each of these peers has the file. */
async function knowsHolders(page: OpenPage, fileId: string, holders: string[]): Promise<void> {
  await untilPage("the page knows who has the file", async () => {
    const { files } = await page.api<{ files: { id: string; peers: string[] }[] }>("files/network");
    const file = files.find(({ id }) => id === fileId);
    return file !== undefined && holders.every((holder) => file.peers.includes(holder));
  });
}

/** Settles once each of these peers brought a chunk of the transfer. */
async function tookFrom(page: OpenPage, transferId: string, peers: string[]): Promise<void> {
  await untilPage("each of these peers brought a chunk", async () => {
    const detail = await page.api<TransferDetails>(`transfers/${transferId}`);
    const bringing = detail.peers.filter((peer) => peer.chunks_downloaded > 0).map(({ id }) => id);
    return peers.every((peer) => bringing.includes(peer));
  });
}

describe("a page that downloads", () => {
  it("has the whole file, equal to the byte, from three seeders of which one lies and one leaves", async () => {
    const { client } = site.host;
    const file = await baitedFile("three.bin", 32 * MIB + 7);
    const { fileId } = file.announcement;
    await client.upload(file.bytes, { name: "three.bin" });
    const liar = await HostileNode.startForPages();
    try {
      let lies = 0;
      const lie = serveBaited(file, (peer, requestId, chunk) => {
        lies++;
        const wrong = chunk.slice();
        wrong[1000] = (wrong[1000] ?? 0) ^ 1;
        sendBlock(peer, requestId, wrong);
      });
      await liar.answer(lie);
      await liar.offer(file.announcement);
      await using leaver = await site.open();
      await using leecher = await site.open();
      expect((await leaver.download(fileId)).event).toBe("transfer_complete");
      await leecher.api("node/peers", "POST", { address: liar.address });
      const { node_id: hostId } = await client.nodeInfo();
      const [leaverId, leecherId] = await Promise.all([idOf(leaver), idOf(leecher)]);
      await knowsHolders(leecher, fileId, [liar.id, leaverId, hostId]);

      // Slow enough that the liar is found out long before the file is whole.
      await client.changeSettings({ max_upload: MIB / 2 });
      await leaver.api("settings", "PATCH", { max_upload: MIB / 2 });
      const transferId = await startDownload(leecher, fileId);
      await tookFrom(leecher, transferId, [leaverId, hostId]);
      await until("the liar is cut off", () => !liar.isConnectedTo(leecherId), 60_000);
      await leaver.context.close();
      const underWay = await leecher.api(`transfers/${transferId}`);
      expect(underWay, JSON.stringify(underWay)).toMatchObject({ status: "in_progress" });
      await client.changeSettings({ max_upload: null });

      expect((await leecher.transferEvent(transferId, ENDS)).event).toBe("transfer_complete");
      expect(await leecher.contentHash(fileId)).toBe(sha256(file.bytes));
      expect(lies).toBeGreaterThanOrEqual(3);
      const { peers } = await leecher.api<{ peers: { id: string }[] }>("node/peers");
      expect(peers.map(({ id }) => id)).not.toContain(liar.id);
      expect(leecher.complaints).toEqual([]);
    } finally {
      await client.changeSettings({ max_upload: null });
      await liar.stop();
    }
  });

  it("goes on in another tab once the tab that ran the node is closed, and fetches no chunk twice", async () => {
    const { client } = site.host;
    const file = await baitedFile("tabs.bin", 24 * MIB);
    const { fileId } = file.announcement;
    await client.upload(file.bytes, { name: "tabs.bin" });
    await using first = await site.open();
    const second = new OpenPage(first.context, await first.context.newPage());
    await second.page.goto(site.host.pageUrl);
    await second.ready();
    const id = await idOf(second);
    await client.changeSettings({ max_upload: 2 * MIB });
    const transferId = await startDownload(second, fileId);
    const { data } = await second.transferEvent(transferId, ["transfer_progress"], { progress: 1 / 4 });
    const cut = data.progress ?? 0;
    expect(cut).toBeLessThan(1);

    await first.page.close();
    expect(await idOf(second)).toBe(id);
    await client.changeSettings({ max_upload: null });
    expect((await second.transferEvent(transferId, ENDS)).event).toBe("transfer_complete");
    expect(await second.contentHash(fileId)).toBe(sha256(file.bytes));
    const { network } = await second.api<{ network: { total_downloaded: number } }>("system/stats");
    // Chunks that were under way when the tab went are fetched again; those that were here are not.
    expect(network.total_downloaded).toBeLessThan((1 - cut) * file.bytes.length + 2 * MIB);
  });
});

describe("a page that stays open", () => {
  /** Gives what tells how many there are in a page, closed ones that were not freed among them. */
  async function countingConnections({ context, page }: OpenPage): Promise<() => Promise<number>> {
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable");
    return async () => {
      await devtools.send("HeapProfiler.collectGarbage");
      const { metrics } = await devtools.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "RTCPeerConnections")?.value ?? 0;
    };
  }

  /** Of peers that are there: on a busy machine a page may have reached its host so. */
  async function connectionsUsed(page: OpenPage): Promise<number> {
    const { peers } = await page.api<{ peers: { transport: string }[] }>("node/peers");
    return peers.filter(({ transport }) => transport.startsWith("webrtc")).length;
  }

  it("keeps no connection of pages that have gone, of which it may have 500 in its life", async () => {
    await using staying = await site.open();
    const connectionsKept = await countingConnections(staying);
    for (let guests = 0; guests < 3; guests++) {
      await using guest = await site.open();
      const id = await idOf(guest);
      await untilPage("the guest is reached by WebRTC", async () => {
        const { peers } = await staying.api<{ peers: { id: string; transport: string }[] }>("node/peers");
        return peers.some((peer) => peer.id === id && peer.transport === "webrtc");
      });
      expect(await connectionsKept()).toBeGreaterThan(0);
    }
    await untilPage("all of them are gone", async () => (await connectionsUsed(staying)) === 0);
    // The last may stay until another comes: gossipsub's loop over its connections has it in a variable while it waits.
    await untilPage("none but the last is kept", async () => (await connectionsKept()) <= 1);
  });

  it("keeps no connection that was closed while it was being made", async () => {
    await using staying = await site.open();
    const connectionsKept = await countingConnections(staying);
    await staying.page.evaluate(async () => {
      for (let made = 0; made < 100; made++) {
        const connection = new RTCPeerConnection();
        connection.createDataChannel("");
        await connection.setLocalDescription();
        // Its changes come in tasks of their own, and some of them between the closings.
        await new Promise((resolve) => setTimeout(resolve));
        connection.close();
        if (connection.connectionState !== "closed") throw new Error("it counts as open");
      }
    });
    await untilPage(
      "no connection is kept",
      async () => (await connectionsKept()) <= (await connectionsUsed(staying)),
    );
  });
});

describe("a page whose host is gone", () => {
  it("opens, shows its files and answers its API", async () => {
    await using opened = await site.open();
    const { fileId, sha256: hash } = await opened.shareRandom(3 * MIB + 1, "kept.bin");
    await allKept(opened.page);
    await site.host.stop();
    await opened.page.close();

    const again = new OpenPage(opened.context, await opened.context.newPage());
    await again.page.goto(site.host.pageUrl);
    await again.ready();
    await again.page.getByText("kept.bin").first().waitFor();
    const { files } = await again.api<{ files: { id: string }[] }>("files");
    expect(files.map(({ id }) => id)).toEqual([fileId]);
    expect(await again.contentHash(fileId)).toBe(hash);
    expect((await again.shareRandom(MIB, "new.bin")).fileId).not.toBe(fileId);
  });
});
