/**
 * Attack 25: a process that writes to an index is killed at random moments, or its disk is full, and what it was told
 * is stored is there. `SHOAL_KILLS` sets how many times (10).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { locateFsArchive } from "../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../src/headless/index/fs-index-storage.ts";
import { openArchive } from "../../src/vx/storage/archives.ts";
import { listArchives } from "../../src/vx/storage/found-archives.ts";
import { openIndexStore } from "../../src/vx/storage/open-index-store.ts";
import { childProgram } from "../child-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { facts, loaded } from "../vx/storage/small-index.ts";
import { Outcomes } from "./index-outcomes.ts";

const KILLS = Number(process.env.SHOAL_KILLS ?? 10);
/** Then a new folder, so that checking stays quick. */
const KILLS_A_FOLDER = 6;
/** What is waited for before the lines are counted, in turns: each moment of a writer's life gets its kills. */
const PHASES = ["opened", "snapshot", "backup"];
const MAX_LINES_BEFORE_KILL = 200;
const MAX_DELAY_MS = 30;
const CHILD = childProgram("index-writer");

/** Lines that the child wrote until it ended; `onLine` may end it. */
async function run(child: ChildProcess, onLine: (line: string) => void): Promise<string[]> {
  const lines: string[] = [];
  const exited = once(child, "exit");
  if (child.stdout === null) throw new Error("the child has no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    onLine(line);
  }
  const [, signal] = await exited;
  expect(signal).toBe("SIGKILL");
  return lines;
}

function learn(outcomes: Outcomes, lines: string[]): void {
  for (const line of lines) {
    const match = /^(stored|refused) (\d+)$/.exec(line);
    if (match !== null) outcomes.tell(match[1] as "stored" | "refused", Number(match[2]));
  }
}

async function check(root: string, outcomes: Outcomes): Promise<void> {
  const store = await openIndexStore(await openFsIndexStorage(join(root, "index")), { create: facts });
  outcomes.check(await loaded(store));
  await store.close();
}

/** Well past any number that the last process may have come to. */
function nextBatch(outcomes: Outcomes): string {
  return String((Math.floor(outcomes.last / 4) + 25) * 4);
}

test(`a process killed ${KILLS} times at random moments loses nothing that it acknowledged`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  let stored = 0;
  const seen = new Set<string>();
  for (let kill = 0; kill < KILLS; ) {
    const root = await temporaryFolder();
    const outcomes = new Outcomes();
    for (let i = 0; i < KILLS_A_FOLDER && kill < KILLS; i++, kill++) {
      const child = spawn(process.execPath, [CHILD, root, nextBatch(outcomes)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const phase = PHASES[kill % PHASES.length];
      let linesBeforeKill = 1 + Math.floor(Math.random() * MAX_LINES_BEFORE_KILL);
      let reached = false;
      const lines = await run(child, (line) => {
        reached ||= line === phase;
        if (reached && --linesBeforeKill === 0) {
          void setTimeout(Math.random() * MAX_DELAY_MS).then(() => child.kill("SIGKILL"));
        }
      });
      learn(outcomes, lines);
      for (const line of lines) seen.add(line.split(" ")[0] ?? "");
      await check(root, outcomes);
    }
    const { folder } = await locateFsArchive(join(root, "backups", "any.zip"));
    for (const { name } of await listArchives(folder)) {
      const archive = await openArchive({ folder, name, path: name }, undefined);
      expect((await loaded(archive)).content().size).toBeGreaterThan(0);
      await archive.close();
    }
    stored += outcomes.count("stored");
    await rm(root, { recursive: true });
  }
  expect(stored).toBeGreaterThan(KILLS);
  expect([...seen].sort()).toEqual(["backup", "opened", "snapshot", "stored"]);
});

test.skipIf(process.platform === "win32")(
  "a process whose files may grow no further refuses with storage_full, goes on, and loses nothing",
  async () => {
    const root = await temporaryFolder();
    const outcomes = new Outcomes();
    for (const kibibytes of [8, 16, 24]) {
      const command = `ulimit -f ${kibibytes}; exec "$0" "$@"`;
      const child = spawn("bash", ["-c", command, process.execPath, CHILD, root, nextBatch(outcomes)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let refused = 0;
      let storedAfter = 0;
      const lines = await run(child, (line) => {
        if (line.startsWith("refused")) refused++;
        else if (refused > 3 && line.startsWith("stored")) storedAfter++;
        if (refused > 20 && storedAfter > 50) child.kill("SIGKILL");
      });
      const failures = lines.filter((line) => line.startsWith("failed"));
      expect(new Set(failures)).toEqual(new Set(["failed storage_full"]));
      learn(outcomes, lines);
      await check(root, outcomes);
    }
    expect(outcomes.count("refused")).toBeGreaterThan(60);
  },
);
