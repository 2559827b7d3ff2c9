/**
 * What is left of writes that failed, on a model of LevelDB: a log that is read at each opening, and a table of what it
 * holds.
 */
import type { ClassicLevel } from "classic-level";
import { beforeEach, expect, it } from "vitest";
import { type LevelChange, LevelWriter } from "../../../src/headless/level/level-writer.ts";

/** What becomes of a batch: it stands in the log and was not made durable, or nothing of it is there. */
type Fate = "not durable" | "lost";

class ModelLevel {
  fates: Fate[] = [];
  #isTorn = false;
  readonly #log: LevelChange[] = [];
  readonly table = new Map<string, string>();

  async batch(changes: LevelChange[]): Promise<void> {
    const fate = this.#isTorn ? "lost" : this.fates.shift();
    if (fate !== "lost") this.#log.push(...changes);
    if (fate !== undefined) {
      this.#isTorn = true;
      throw new Error("IO error: fdatasync");
    }
    this.#replay(changes);
  }

  async getMany(keys: string[]): Promise<(string | undefined)[]> {
    return keys.map((key) => this.table.get(key));
  }

  async close(): Promise<void> {
    this.table.clear();
  }

  async open(): Promise<void> {
    this.#isTorn = false;
    this.#replay(this.#log);
  }

  #replay(changes: readonly LevelChange[]): void {
    for (const change of changes) {
      if (change.type === "put") this.table.set(change.key, change.value);
      else this.table.delete(change.key);
    }
  }
}

let level: ModelLevel;
let writer: LevelWriter;

beforeEach(async () => {
  level = new ModelLevel();
  writer = new LevelWriter(level as unknown as ClassicLevel<string, string>);
  await put("kept", "before");
});

function put(key: string, value: string): Promise<void> {
  return writer.write([{ type: "put", key, value }], { sync: true });
}

/** What the next process finds. */
async function afterCrash(): Promise<Record<string, string>> {
  await level.close();
  await level.open();
  return Object.fromEntries(level.table);
}

async function refused(...fates: Fate[]): Promise<void> {
  level.fates = fates;
  const change: LevelChange[] = [
    { type: "put", key: "kept", value: "after" },
    { type: "put", key: "new", value: "x" },
  ];
  await expect(writer.write(change, { sync: true })).rejects.toThrow("fdatasync");
}

it("is not there after a restart, and what it would have replaced is", async () => {
  await refused("not durable");
  expect(await afterCrash()).toEqual({ kept: "before" });
});

it("goes with the next write, where nothing could be written at once", async () => {
  await refused("not durable", "lost");
  await put("next", "y");
  expect(await afterCrash()).toEqual({ kept: "before", next: "y" });
});

it("goes as the database is closed, where nothing more was written", async () => {
  await refused("not durable", "lost");
  await writer.finish();
  expect(await afterCrash()).toEqual({ kept: "before" });
});

it("keeps a write from being made that could not be read behind it", async () => {
  await refused("lost", "lost", "lost");
  await expect(put("next", "y")).rejects.toThrow("fdatasync");
  await put("next", "z");
  expect(await afterCrash()).toEqual({ kept: "before", next: "z" });
});
