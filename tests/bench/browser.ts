/**
 * `npm run bench browser -- [MB] [rounds] [dials]`: one file between the built page and its peers in Chromium, verified
 * and stored, against the browser's own channels between the same parties, all in one run; then dials in a row.
 */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OpenPage, PageSite } from "../browser/open-page.ts";
import { type ShoalProcess, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { dataChannelSeconds, webSocketSeconds } from "./bare-channels.ts";
import { machine, median, table, writeSection } from "./results.ts";

const sizeMb = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 3);
const dials = Number(process.argv[4] ?? 100);
const sizeBytes = sizeMb * 1_000_000;
const speeds = new Map<string, number[]>();

await using site = await PageSite.start();
for (let round = 0; round < rounds; round++) {
  await using seeder = await site.open();
  await using leecher = await site.open();
  await measure("bare RTCDataChannel, page to page", () =>
    dataChannelSeconds(seeder.page, leecher.page, sizeBytes),
  );
  await measure("shoal, page to page", () => pageToPage(seeder, leecher));
  await measure("bare WebSocket, process to page", () =>
    webSocketSeconds(leecher.page, sizeBytes, "to page"),
  );
  await measure("shoal, headless to page", () => headlessToPage(site.host, leecher));
  await measure("bare WebSocket, page to process", () =>
    webSocketSeconds(seeder.page, sizeBytes, "from page"),
  );
  await measure("shoal, page to headless", () => pageToHeadless(seeder, site.host));
}
const rows = [...speeds].map(([name, values]) => [
  name,
  median(values).toFixed(1),
  values.map((value) => value.toFixed(1)).join(" "),
]);
const dialed = await measureDials(site, dials);
await writeSection(
  "Browser",
  `${machine()}, Chromium; one file of ${sizeMb} MB, by \`npm run bench browser\`.\n\n${table(["", "MB/s, median", "all"], rows)}\n\n${dialed}`,
);

async function measure(name: string, run: () => Promise<number>): Promise<void> {
  const speed = sizeMb / (await run());
  console.log(`${name}: ${speed.toFixed(1)} MB/s`);
  speeds.set(name, [...(speeds.get(name) ?? []), speed]);
}

async function pageToPage(seeder: OpenPage, leecher: OpenPage): Promise<number> {
  const { fileId } = await seeder.shareRandom(sizeBytes);
  await knows(leecher, fileId);
  return secondsOf(async () => {
    const { event } = await leecher.download(fileId);
    if (event !== "transfer_complete") throw new Error("the download failed");
  });
}

async function headlessToPage(host: ShoalProcess, leecher: OpenPage): Promise<number> {
  const path = join(host.folder, "shared", "bench.bin");
  await writeFile(path, randomBytes(sizeBytes));
  const { file_id: fileId } = await host.client.share(path);
  await knows(leecher, fileId);
  const seconds = await secondsOf(async () => {
    const { event } = await leecher.download(fileId);
    if (event !== "transfer_complete") throw new Error("the download failed");
  });
  await host.client.deleteFile(fileId);
  return seconds;
}

async function pageToHeadless(seeder: OpenPage, host: ShoalProcess): Promise<number> {
  const { fileId } = await seeder.shareRandom(sizeBytes);
  await until("the file is offered", async () => {
    const { files } = await host.client.networkFiles();
    return files.some(({ id }) => id === fileId);
  });
  const seconds = await secondsOf(async () => {
    const { transfer_id } = await host.client.download({ file_id: fileId });
    const { status } = await transferEnd(host, transfer_id);
    if (status !== "completed") throw new Error(`the download is ${status}`);
  });
  await host.client.deleteFile(fileId);
  return seconds;
}

/** Looks seldom, for these requests are counted. */
async function knows(page: OpenPage, fileId: string): Promise<void> {
  await page.page.waitForFunction(
    async (id) => {
      const headers = { Authorization: `Bearer ${await window.shoal.apiKey()}` };
      const { files } = await (await fetch("/api/v1/files/network", { headers })).json();
      return files.some((file: { id: string }) => file.id === id);
    },
    fileId,
    { polling: 1000, timeout: 60_000 },
  );
}

async function secondsOf(run: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await run();
  return (performance.now() - startMs) / 1000;
}

/** A page is loaded again and again; each time it has to reach another page by WebRTC, introduced by the relay. */
async function measureDials(site: PageSite, count: number): Promise<string> {
  await using standing = await site.open();
  await using coming = await site.open();
  const { node_id: standingId } = await standing.api<{ node_id: string }>("node/info");
  const seconds: number[] = [];
  let failures = 0;
  for (let i = 0; i < count; i++) {
    await coming.page.reload();
    const startMs = performance.now();
    try {
      await coming.ready();
      await coming.page.waitForFunction(
        async (id) => {
          const headers = { Authorization: `Bearer ${await window.shoal.apiKey()}` };
          const { peers } = await (await fetch("/api/v1/node/peers", { headers })).json();
          return peers.some(
            (peer: { id: string; transport: string }) => peer.id === id && peer.transport === "webrtc",
          );
        },
        standingId,
        { polling: 700, timeout: 30_000 },
      );
      seconds.push((performance.now() - startMs) / 1000);
    } catch (error) {
      failures += 1;
      console.log(`dial ${i}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const slowest = Math.max(...seconds);
  return `${count} loads of a page, each with a new WebRTC connection to another page: ${failures} without one; ${median(seconds).toFixed(1)} s from load to connection in the median, ${slowest.toFixed(1)} s at most.`;
}
