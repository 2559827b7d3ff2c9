/**
 * `npm run bench browser-memory -- [MB] [search]`: what a tab takes while it shares a large file and while another downloads
 * it: memory of all processes of its browser beyond those of the same browser with an empty page, and tasks of the window
 * that are long by their own processor time. `search`: with the model of search by meaning loaded and used before.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PageSite } from "../browser/open-page.ts";
import { until } from "../interop/until.ts";
import { BrowserParty } from "./browser-party.ts";
import { MemoryPeaks, memoryByKind } from "./browser-processes.ts";
import { LongTasks } from "./browser-tasks.ts";
import { randomFile } from "./random-file.ts";
import { machine, table, writeSection } from "./results.ts";

const sizeMb = Number(process.argv[2] ?? 4000);
const withModel = process.argv[3] === "search";
const LOOK_EVERY_MS = 2000;
const HOURS_MS = 3 * 3_600_000;

const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
const rows: (string | number)[][] = [];
try {
  await using site = await PageSite.start({ flags: withModel ? ["--search"] : [] });
  const path = await randomFile(join(work, "big.bin"), sizeMb * 1_000_000);
  const [seeder, seederBlank] = await openWatched(site, "seeder");
  await using _seeder = seeder;
  if (withModel) await useModel(seeder);
  let fileId = "";
  await watched("sharing", seeder, seederBlank, async () => {
    await seeder.page.setInputFiles("input[type=file][multiple]", path);
    await until(
      "the file is shared",
      async () => {
        const { files } = await seeder.opened.api<{ files: FileEntry[] }>("files");
        fileId = files.find(({ name, complete }) => name === "big.bin" && complete)?.id ?? "";
        if (fileId === "") await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        return fileId !== "";
      },
      HOURS_MS,
    );
  });
  const [leecher, leecherBlank] = await openWatched(site, "leecher");
  await using _leecher = leecher;
  if (withModel) await useModel(leecher);
  await leecher.knows(fileId);
  await Promise.all([
    watched("downloading", leecher, leecherBlank, () => leecher.download(fileId)),
    watched("being downloaded from", seeder, seederBlank, () =>
      until("the other page has the file", () => hasWhole(leecher, fileId), HOURS_MS, LOOK_EVERY_MS),
    ),
  ]);
  const about = `${machine()}, Chromium. One file of ${sizeMb} MB between two pages, each in a browser of its own. Memory: anonymous pages of every process of the browser, less those of the same browser with an empty page, at most.`;
  const head = [
    "while",
    "MB beyond an empty page",
    "of it the tab's renderer",
    "tasks over 50 ms of processor",
    "the longest, ms",
  ];
  await writeSection(
    `Browser: memory${withModel ? ", with the model of search" : ""}`,
    `${about}\n\n${table(head, rows)}`,
  );
} finally {
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}

interface FileEntry {
  id: string;
  name: string;
  complete: boolean;
}

type Memory = ReadonlyMap<string, number>;

async function openWatched(site: PageSite, name: string): Promise<[BrowserParty, Memory]> {
  let blank: Memory = new Map();
  const party = await BrowserParty.open(work, name, site.host.pageUrl, async (_page, profile) => {
    blank = await memoryByKind(profile);
  });
  return [party, blank];
}

async function hasWhole({ opened }: BrowserParty, fileId: string): Promise<boolean> {
  const { files } = await opened.api<{ files: FileEntry[] }>("files");
  return files.some(({ id, complete }) => id === fileId && complete);
}

/** Has a text embedded, so that the model is in memory. */
async function useModel({ page, opened }: BrowserParty): Promise<void> {
  await page.evaluate(async () => {
    const headers = { Authorization: `Bearer ${await window.shoal.apiKey()}`, "Content-Type": "text/plain" };
    await fetch("/api/v1/files?name=notes.txt", { method: "POST", headers, body: "How to mend a bicycle." });
  });
  await until(
    "the model has read a text",
    async () => (await opened.api<{ indexed: number }>("search")).indexed > 0,
    120_000,
    LOOK_EVERY_MS,
  );
}

async function watched(
  what: string,
  party: BrowserParty,
  blank: Memory,
  run: () => Promise<unknown>,
): Promise<void> {
  const memory = new MemoryPeaks(party.profile);
  const tasks = await LongTasks.watch(party.page);
  await run();
  const peaks = await memory.stop();
  const longMs = await tasks.stop();
  const beyond = (kind: string) => (((peaks.get(kind) ?? 0) - (blank.get(kind) ?? 0)) / 1e6).toFixed(0);
  rows.push([what, beyond("all"), beyond("renderer"), longMs.length, Math.max(0, ...longMs).toFixed(0)]);
  console.log(rows.at(-1)?.join(" | "));
}
