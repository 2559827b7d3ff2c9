/** Built nodes whose index is still loading: what they serve, how they stop, and how they end where it can't be loaded. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ShoalClient } from "../../src/client/client.ts";
import { Client } from "../../src/client/vx-client.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { COMMAND } from "./shoal-process.ts";

const COMMANDS = {
  "shoal --enable-api": ["--enable-api", "--no-mdns", "--listen", "/ip4/127.0.0.1/tcp/0", "--no-search"],
  "shoal vx": ["vx"],
};

interface Held {
  child: ChildProcess;
  url: string;
  apiKey: string;
  /** What it has printed by now. */
  printed(): string;
  logged(): string;
  /** Lets the index load. */
  release(): Promise<void>;
  exited: Promise<[number | null, NodeJS.Signals | null]>;
}

/** A data folder with an index of one vector. */
async function makeIndex(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  const args = ["vx", "--api-port", "0", "--data-dir", folder, "--vx-dimension", "3"];
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("data")) break;
  const { url, key } = JSON.parse(await readFile(join(folder, "running.json"), "utf8"));
  await new Client(url, { apiKey: key }).add(1, [1, 2, 3]);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
  return folder;
}

let made: string;

beforeAll(async () => {
  made = await makeIndex();
});

afterAll(() => rm(made, { recursive: true, force: true }));

async function storedIndex(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(made, folder, { recursive: true });
  return folder;
}

/** The same, as of a start that has no key yet. */
async function keylessIndex(): Promise<string> {
  const folder = await storedIndex();
  await rm(join(folder, "api-keys"), { recursive: true });
  await rm(join(folder, "first-api-key"));
  return folder;
}

async function madeKeys(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /^api-keys.|^first-api-key$/.test(name));
}

/** Starts a node whose index is held; settles when its API is served. */
async function startHeld(folder: string, args: string[]): Promise<Held> {
  const all = ["--import", join(import.meta.dirname, "held-index.preload.mjs"), COMMAND, ...args];
  const child = spawn(process.execPath, [...all, "--api-port", "0", "--data-dir", folder], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HELD_INDEX: folder },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "close") as Held["exited"];
  let printed = "";
  let logged = "";
  child.stdout.on("data", (bytes) => {
    printed += bytes;
  });
  for await (const line of createInterface({ input: child.stderr })) {
    logged += `${line}\n`;
    if (line.includes("the API is served")) break;
  }
  child.stderr.on("data", (bytes) => {
    logged += bytes;
  });
  child.stderr.resume();
  const { url, key } = JSON.parse(await readFile(join(folder, "running.json"), "utf8"));
  return {
    child,
    url,
    apiKey: key,
    printed: () => printed,
    logged: () => logged,
    release: () => writeFile(join(folder, "released"), ""),
    exited,
  };
}

describe.each(Object.entries(COMMANDS))("%s, while its index is loading", (_, args) => {
  it("tells so on /health, refuses the index's requests, and serves them afterwards", async () => {
    const { url, apiKey, child, printed, release } = await startHeld(await storedIndex(), args);
    const index = new Client(url, { apiKey });
    const health = await fetch(`${url}/health`);
    expect([health.status, health.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await health.json()).toMatchObject({ status: "loading", error: { code: "unavailable" } });
    await expect(index.search([1, 2, 3])).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
    const files = await fetch(`${url}/api/v1/files`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(files.status).toBe(args.includes("vx") ? 404 : 200);
    expect(printed()).toBe("");

    const told = once(child.stdout as NodeJS.ReadableStream, "data");
    await release();
    await told;
    expect(printed()).toContain(url);
    expect(await new ShoalClient(url).health()).toMatchObject({ status: "ok" });
    expect(await index.search([1, 2, 3])).toMatchObject([{ id: 1 }]);
  });

  it("stops when it is told to, without a first key that nobody saw", async () => {
    const folder = await keylessIndex();
    const { child, exited, printed } = await startHeld(folder, args);
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(printed()).toBe("");
    expect(await madeKeys(folder)).toEqual([]);
  });

  it("makes a first key once it is loaded", async () => {
    const folder = await keylessIndex();
    const { child, printed, release } = await startHeld(folder, args);
    const told = once(child.stdout as NodeJS.ReadableStream, "data");
    await release();
    await told;
    expect(printed()).toContain(join(folder, "first-api-key"));
    expect(await madeKeys(folder)).toHaveLength(2);
  });

  it("ends with what is wrong where it can't be loaded", async () => {
    const folder = await keylessIndex();
    expect(await readdir(join(folder, "index"))).toContain("snapshot");
    await truncate(join(folder, "index/snapshot"), 100);
    const { exited, logged, printed, release } = await startHeld(folder, args);
    await release();
    expect(await exited).toEqual([1, null]);
    expect(logged()).toContain("The stored index is damaged: snapshot: its header is not what was written");
    expect(printed()).toBe("");
    expect(await madeKeys(folder)).toEqual([]);
  });

  it("ends as a wrong command line where a setting is to blame", async () => {
    const { exited, logged, release } = await startHeld(await storedIndex(), [
      ...args,
      "--vx-dimension",
      "4",
    ]);
    await release();
    expect(await exited).toEqual([2, null]);
    expect(logged()).toContain("shoal: the index: Vector dimension mismatch: expected 3, got 4");
  });
});
