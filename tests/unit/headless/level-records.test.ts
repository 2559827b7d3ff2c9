/** What LevelRecords promises about the disk, beyond the contract of records. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { BlockIndex } from "../../../src/headless/blocks/block-index.ts";
import { openLevelDatastore } from "../../../src/headless/level/level-datastore.ts";
import { openLevelRecords } from "../../../src/headless/level/level-records.ts";
import { childProgram } from "../../child-program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

describe("LevelRecords", () => {
  it("holds after a restart what it held before", async () => {
    const folder = await temporaryFolder();
    const before = await openLevelRecords(folder);
    await before.put("files", "one", { name: "é" });
    await before.close();
    const after = await openLevelRecords(folder);
    expect(await after.get("files", "one")).toEqual({ name: "é" });
    await after.close();
  });

  it("opens the frozen records of format v1", async () => {
    const folder = await temporaryFolder();
    await cp(join(import.meta.dirname, "../../fixtures/formats/v1/records"), folder, { recursive: true });
    const records = await openLevelRecords(folder);
    expect(await records.get("files", "a\0b")).toEqual({ name: "日本", sizeBytes: 11, complete: true });
    expect(await records.get("settings", "list")).toEqual([1, null, "x"]);
    await records.close();
  });

  it("refuses a folder that another opener holds, and says what to do", async () => {
    const folder = await temporaryFolder();
    const first = await openLevelRecords(folder);
    const second = openLevelRecords(folder);
    await expect(second).rejects.toMatchObject({ name: "start_failed", message: /--data-dir/ });
    await first.close();
    await (await openLevelRecords(folder)).close();
  });

  it.each([
    ["the records", openLevelRecords],
    ["the index of blocks", (folder: string) => BlockIndex.open(folder, join(folder, "segments"))],
    ["the known peers", (folder: string) => openLevelDatastore(folder, () => undefined)],
  ])("and %s can't be opened once they are damaged, which is told in words", async (what, open) => {
    const folder = await temporaryFolder();
    await (await open(folder)).close();
    await writeFile(join(folder, "CURRENT"), "damaged");
    const message = expect.stringMatching(new RegExp(`${folder}: cannot open ${what}: Corruption`));
    await expect(open(folder)).rejects.toMatchObject({ name: "start_failed", message });
  });

  it("are not begun anew beside the blocks of the files that they knew", async () => {
    const [folder, segments] = [await temporaryFolder(), await temporaryFolder()];
    await (await openLevelRecords(folder, segments)).close();
    await writeFile(join(segments, "1"), "a block");
    await (await openLevelRecords(folder, segments)).close();
    await rm(join(folder, "CURRENT"));
    const message = expect.stringMatching(`${folder}: cannot find the records, .* in ${segments}`);
    await expect(openLevelRecords(folder, segments)).rejects.toMatchObject({ name: "start_failed", message });
    await rm(join(segments, "1"));
    await (await openLevelRecords(folder, segments)).close();
  });

  it("keeps every acknowledged write, and no half batch, through kill -9", async () => {
    const folder = await temporaryFolder();
    const told = await writeUntilKilled(folder, { afterLines: 300 });
    const last = Math.max(...told.stored);
    expect(last).toBeGreaterThanOrEqual(299);
    await expectAcknowledged(folder, last);
  });

  it("says storage_full when its log cannot grow, goes on, and loses no acknowledged write", async () => {
    const folder = await temporaryFolder();
    const told = await writeUntilKilled(folder, { afterLines: 1500, maxFileKib: 2000 });
    expect(new Set(told.refusals.values())).toEqual(new Set(["storage_full"]));
    expect(Math.max(...told.stored)).toBeGreaterThan(Math.min(...told.refusals.keys()) + 100);
    await expectAcknowledged(folder, Math.max(...told.stored));
  });
});

async function expectAcknowledged(folder: string, last: number): Promise<void> {
  const records = await openLevelRecords(folder);
  const counter = (await records.get<number>("settings", "counter")) ?? -1;
  expect(counter).toBeGreaterThanOrEqual(last);
  expect(await records.get("settings", "twin")).toBe(counter);
  expect(await records.get("files", String(last % 500))).toMatchObject({ n: last });
  await records.close();
}

/** What the child told until it was killed. A largest file stands in for a full disk: the log's writes fail. */
async function writeUntilKilled(
  folder: string,
  { afterLines, maxFileKib }: { afterLines: number; maxFileKib?: number },
): Promise<{ stored: number[]; refusals: Map<number, string> }> {
  const limit = maxFileKib === undefined ? "" : `trap '' XFSZ; ulimit -f ${maxFileKib};`;
  const child = spawn(
    "bash",
    ["-c", `${limit} exec "$@"`, "bash", process.execPath, childProgram("record-writer"), folder],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const closed = once(child, "close");
  const stored: number[] = [];
  const refusals = new Map<number, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, n, name] = line.split(" ");
    if (what === "stored") stored.push(Number(n));
    if (what === "refused") refusals.set(Number(n), name ?? "");
    if (stored.length + refusals.size === afterLines) child.kill("SIGKILL");
  }
  await closed;
  return { stored, refusals };
}
