/**
 * The Python package by its own tests (src/client/python/tests), each a test of its own here: against built processes, as a
 * user of Python runs them. Skipped as a whole where there is no Python 3.9.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "./shoal-process.ts";

const PACKAGE = join(import.meta.dirname, "../../src/client/python");
const REPORT = join(PACKAGE, "tests/report.py");

const env = {
  ...process.env,
  PYTHONPATH: PACKAGE,
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONIOENCODING: "utf-8",
  SHOAL_COMMAND: COMMAND,
};

interface Outcome {
  id: string;
  outcome: "passed" | "failed" | "skipped";
  detail: string;
}

const isThere =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"], { env }).status === 0;

describe.skipIf(!isThere)("the Python package", () => {
  const listed = isThere ? listTests() : [];
  const outcomes = new Map<string, Outcome>();
  const news = new EventTarget();
  let running: ChildProcess;
  let ended: Promise<unknown>;
  let hasToldAll = false;
  let printed = "";

  beforeAll(() => {
    running = spawn("python3", [REPORT], { env, stdio: ["ignore", "pipe", "pipe"] });
    ended = once(running, "close").then(() => {
      hasToldAll = true;
      news.dispatchEvent(new Event("news"));
    });
    running.stderr?.on("data", (bytes: Buffer) => {
      printed = (printed + bytes).slice(-10_000);
    });
    createInterface({ input: running.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const outcome: Outcome = JSON.parse(line);
      // What fails before a class's first test bears the class's name: it stands for all of them.
      outcomes.set(/\((.*)\)$/.exec(outcome.id)?.[1] ?? outcome.id, outcome);
      news.dispatchEvent(new Event("news"));
    });
  });

  afterAll(async () => {
    running.kill();
    await ended;
  });

  const found = (id: string) => outcomes.get(id) ?? outcomes.get(id.slice(0, id.lastIndexOf(".")));

  async function outcomeOf(id: string): Promise<Outcome> {
    while (found(id) === undefined && !hasToldAll) await once(news, "news");
    return found(id) ?? { id, outcome: "failed", detail: `Python ended without it:\n${printed}` };
  }

  it("has tests", () => {
    expect(listed.length).toBeGreaterThan(0);
  });

  for (const { id, title } of listed) {
    it(title, async (context) => {
      const { outcome, detail } = await outcomeOf(id);
      context.skip(outcome === "skipped", detail);
      expect(outcome, detail).toBe("passed");
    });
  }
});

function listTests(): { id: string; title: string }[] {
  const { stdout, stderr, status } = spawnSync("python3", [REPORT, "--list"], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`the Python tests can't be listed:\n${stderr}`);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}
