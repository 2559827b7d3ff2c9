/** Files between pages and headless nodes, by the built page in Chromium: whole, both ways, over a reload. */
import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transferEnd } from "../interop/shoal-process.ts";
import { ENDS, type OpenPage, PageSite } from "./open-page.ts";

const MIB = 1024 * 1024;
const SHARED_BYTES = 24_000_000;

/** A third of a megabyte a second, of a machine that does much else beside. */
const PATIENCE_MS = 600_000;

let site: PageSite;
let seeder: OpenPage;
let leecher: OpenPage;
beforeAll(async () => {
  site = await PageSite.start();
  [seeder, leecher] = await Promise.all([site.open(), site.open()]);
});
afterAll(() => site[Symbol.asyncDispose]());

interface Peer {
  id: string;
  transport: string;
  downloaded: number;
}

async function peersOf(page: OpenPage): Promise<Peer[]> {
  return (await page.api<{ peers: Peer[] }>("node/peers")).peers;
}

async function nodeId(page: OpenPage): Promise<string> {
  return (await page.api<{ node_id: string }>("node/info")).node_id;
}

describe("two pages", () => {
  it(
    "bring 24 MB from one to the other by WebRTC, equal to the byte, and none of it through the relay",
    async () => {
      const { fileId, sha256 } = await seeder.shareRandom(SHARED_BYTES);
      const { event } = await leecher.download(fileId);
      expect(event).toBe("transfer_complete");
      expect(await leecher.contentHash(fileId)).toBe(sha256);
      const from = (await peersOf(leecher)).find(({ downloaded }) => downloaded > 0);
      expect(from).toMatchObject({ id: await nodeId(seeder), transport: "webrtc" });
      expect(from?.downloaded).toBeGreaterThanOrEqual(SHARED_BYTES);
      expect([...seeder.complaints, ...leecher.complaints]).toEqual([]);
    },
    PATIENCE_MS,
  );

  it("go on after the downloading one was reloaded, and fetch no chunk twice", async () => {
    const sizeBytes = 24 * MIB;
    const { fileId, sha256 } = await seeder.shareRandom(sizeBytes);
    await seeder.api("settings", "PATCH", { max_upload: 3 * MIB });
    const { transfer_id } = await leecher.api<{ transfer_id: string }>("transfers/download", "POST", {
      file_id: fileId,
    });
    const { data } = await leecher.transferEvent(transfer_id, ["transfer_progress"], { progress: 1 / 3 });
    const cut = data.progress ?? 0;
    expect(cut).toBeLessThan(1);

    await leecher.page.reload();
    await leecher.ready();
    await seeder.api("settings", "PATCH", { max_upload: null });
    const { event } = await leecher.transferEvent(transfer_id, ENDS);
    expect(event).toBe("transfer_complete");
    expect(await leecher.contentHash(fileId)).toBe(sha256);
    const { network } = await leecher.api<{ network: { total_downloaded: number } }>("system/stats");
    // Chunks that were under way when the page went are fetched again; those that were here are not.
    expect(network.total_downloaded).toBeLessThan((1 - cut) * sizeBytes + 2 * MIB);
  });
});

describe("a page and a headless node", () => {
  it("bring a file to the page, equal to the byte", async () => {
    const { host } = site;
    const bytes = randomBytes(24 * MIB + 5);
    const path = join(host.folder, "shared", "headless.bin");
    await writeFile(path, bytes);
    const { file_id: fileId } = await host.client.share(path);
    expect((await leecher.download(fileId)).event).toBe("transfer_complete");
    expect(await leecher.contentHash(fileId)).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("bring a file from the page, equal to the byte", async () => {
    const { host } = site;
    const { fileId, sha256 } = await seeder.shareRandom(24 * MIB + 5);
    const { transfer_id } = await host.client.download({ file_id: fileId, output_path: "from-page.bin" });
    expect(await transferEnd(host, transfer_id)).toMatchObject({ status: "completed" });
    const copy = await readFile(join(host.folder, "downloads", "from-page.bin"));
    expect(createHash("sha256").update(copy).digest("hex")).toBe(sha256);
  });
});
