/**
 * `npm run bench browser -- [MB] [rounds] [dials] [way]`: one file between the built page and its peers in Chromium, verified
 * and durable, against the browser's own channels and WebTorrent between the same parties, all in one run; how soon a first
 * transfer is at full speed, dials in a row, and a first visit. Each person has a Chromium with its profile on the disk. With
 * a way, such as "headless to page", only what goes that way is measured, and told but not kept.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provideNodeEvents } from "../browser/node-events.ts";
import { PageSite } from "../browser/open-page.ts";
import { type ShoalProcess, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { dataChannelSeconds, directChannelSeconds, webSocketSeconds } from "./bare-channels.ts";
import { measureDials } from "./browser-dials.ts";
import { measureFirstLoads } from "./browser-first-load.ts";
import { BrowserParty } from "./browser-party.ts";
import { secondsToFullSpeed } from "./browser-ramp.ts";
import { openTorrentSite, webTorrentTransfer } from "./browser-webtorrent.ts";
import { machine, median, table, writeSection } from "./results.ts";

const sizeMb = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 3);
const dials = Number(process.argv[4] ?? 100);
const onlyWay = process.argv[5];
const sizeBytes = sizeMb * 1_000_000;
const peers = join(import.meta.dirname, "peers-transfer");

const PAGES = "shoal, page to page";
const TO_PAGE = "shoal, headless to page";
const FROM_PAGE = "shoal, page to headless";
const CHANNEL = "bare RTCDataChannel, page to page";
const TORRENT = "WebTorrent 2.8.5, page to page";
const SOCKET = "bare WebSocket, headless to page";
const DIRECT = "bare RTCDataChannel, headless to page";
const SOCKET_BACK = "bare WebSocket, page to headless";
const RIVALS: Record<string, string[]> = {
  [PAGES]: [CHANNEL, TORRENT],
  [TO_PAGE]: [SOCKET, DIRECT],
  [FROM_PAGE]: [SOCKET_BACK],
};

/** Of each way: megabytes a second, and processor seconds of both browsers for 100 MB. */
const measured = new Map<string, { speeds: number[]; cpu: number[] }>();

if (!existsSync(join(peers, "node_modules"))) {
  execFileSync("npm", ["ci", "--ignore-scripts"], { cwd: peers, stdio: "inherit" });
}
const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
try {
  await using site = await PageSite.start();
  const notes = await measureTransfers(site);
  if (onlyWay !== undefined) console.log([report(), ...notes].join("\n\n"));
  else await keep(site, notes);
} finally {
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}

async function keep(site: PageSite, notes: string[]): Promise<void> {
  notes.push(dials > 0 ? await measureDials(site, dials) : "", await firstVisit(site));
  const head = `${machine()}, Chromium with profiles on the disk; one file of ${sizeMb} MB, median of ${rounds} rounds in turn.`;
  const about =
    "CPU: processor seconds of both browsers for 100 MB; where other work takes turns on the processors, it tells more than the clock.";
  await writeSection("Browser", [head, report(), about, ...notes.filter((note) => note !== "")].join("\n\n"));
}

/** Runs what is measured; it may tell the seconds itself, where more than the bytes' way is in it. */
type Timed = (run: () => Promise<unknown>) => Promise<void>;

async function measureTransfers({ host }: PageSite): Promise<string[]> {
  await using torrents = await openTorrentSite();
  await using seeder = await BrowserParty.open(work, "seeder", host.pageUrl);
  await using leecher = await BrowserParty.open(work, "leecher", host.pageUrl);
  const pages = [seeder.page, leecher.page] as const;
  const notes: string[] = [];
  const measure = async (name: string, way: (timed: Timed) => Promise<void>) => {
    if (onlyWay !== undefined && !name.includes(onlyWay)) return;
    await way(async (run) => {
      const cpu = async () => (await seeder.cpuSeconds()) + (await leecher.cpuSeconds());
      const [startCpu, startMs] = [await cpu(), performance.now()];
      const told = await run();
      const seconds = typeof told === "number" ? told : (performance.now() - startMs) / 1000;
      note(name, sizeMb / seconds, (((await cpu()) - startCpu) / sizeMb) * 100);
    });
  };
  for (let round = 0; round < rounds; round++) {
    await measure(PAGES, async (timed) => {
      const { fileId } = await seeder.opened.shareRandom(sizeBytes);
      await leecher.knows(fileId);
      await provideNodeEvents(leecher.page);
      const speeds: Promise<string> | undefined =
        round === 0 ? secondsToFullSpeed(leecher, fileId, sizeBytes) : undefined;
      await timed(() => leecher.download(fileId));
      if (speeds !== undefined) notes.push(await speeds);
      await leecher.delete(fileId);
      await seeder.delete(fileId);
    });
    await measure(CHANNEL, (timed) => timed(() => dataChannelSeconds(...pages, sizeBytes)));
    await measure(TORRENT, (timed) => webTorrentTransfer(torrents, pages, sizeBytes, timed));
    await measure(TO_PAGE, (timed) => headlessToPage(host, leecher, timed));
    await measure(SOCKET, (timed) => timed(() => webSocketSeconds(leecher.page, sizeBytes, "to page")));
    await measure(DIRECT, (timed) => timed(() => directChannelSeconds(leecher.page, sizeBytes)));
    await measure(FROM_PAGE, (timed) => pageToHeadless(seeder, host, timed));
    await measure(SOCKET_BACK, (timed) => timed(() => webSocketSeconds(seeder.page, sizeBytes, "from page")));
  }
  return notes;
}

function note(name: string, speed: number, cpu: number): void {
  console.log(`${name}: ${speed.toFixed(1)} MB/s, ${cpu.toFixed(1)} s of processor for 100 MB`);
  const of = measured.get(name) ?? { speeds: [], cpu: [] };
  of.speeds.push(speed);
  of.cpu.push(cpu);
  measured.set(name, of);
}

async function headlessToPage(host: ShoalProcess, leecher: BrowserParty, timed: Timed): Promise<void> {
  const path = join(host.folder, "shared", "bench.bin");
  await writeFile(path, randomBytes(sizeBytes));
  const { file_id: fileId } = await host.client.share(path);
  await leecher.knows(fileId);
  await timed(() => leecher.download(fileId));
  await leecher.delete(fileId);
  await host.client.deleteFile(fileId);
}

async function pageToHeadless(seeder: BrowserParty, host: ShoalProcess, timed: Timed): Promise<void> {
  const { fileId } = await seeder.opened.shareRandom(sizeBytes);
  await until("the file is offered", async () => {
    const { files } = await host.client.networkFiles();
    return files.some(({ id }) => id === fileId);
  });
  await timed(async () => {
    const { transfer_id } = await host.client.download({ file_id: fileId });
    const { status } = await transferEnd(host, transfer_id);
    if (status !== "completed") throw new Error(`the download is ${status}`);
  });
  await host.client.deleteFile(fileId);
  await seeder.delete(fileId);
}

async function firstVisit(site: PageSite): Promise<string> {
  const { scriptBytes, usableMs, nodeMs } = await measureFirstLoads(site, 5);
  const kilobytes = (scriptBytes / 1000).toFixed(0);
  return `A first visit, median of 5: ${kilobytes} kB of script before the node is fetched, usable after ${(usableMs / 1000).toFixed(2)} s, its node after ${(nodeMs / 1000).toFixed(1)} s.`;
}

function report(): string {
  const of = (name: string) => {
    const { speeds, cpu } = measured.get(name) ?? { speeds: [], cpu: [] };
    return { speed: median(speeds), cpu: median(cpu) };
  };
  const rows = [...measured].map(([name, { speeds }]) => {
    const rival = RIVALS[name];
    const { speed, cpu } = of(name);
    return [
      name,
      speed.toFixed(1),
      speeds.map((value) => value.toFixed(1)).join(" "),
      cpu.toFixed(1),
      rival?.map((other) => `${(speed / of(other).speed).toFixed(2)}x`).join(", ") ?? "",
      rival?.map((other) => `${(of(other).cpu / cpu).toFixed(2)}x`).join(", ") ?? "",
    ];
  });
  const legend = Object.entries(RIVALS)
    .filter(([name]) => measured.has(name))
    .map(([name, others]) => `${name}: to ${others.join(", ")}.`);
  return [
    table(["", "MB/s", "all", "CPU s", "speed to rivals", "the same by CPU"], rows),
    legend.join(" "),
  ].join("\n\n");
}
