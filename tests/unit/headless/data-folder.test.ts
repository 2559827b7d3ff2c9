/** Keys and other small files of the data folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rmdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  generateApiKey,
  hasApiKeys,
  listApiKeys,
  makeApiKey,
  openApiKeys,
  revokeApiKey,
} from "../../../src/headless/api-keys.ts";
import { openDataFolder } from "../../../src/headless/data-folder.ts";
import { makeFirstKey, needsFirstKey, removeRevokedKeyFile } from "../../../src/headless/first-key.ts";
import { createLog } from "../../../src/headless/log.ts";
import { startIndex } from "../../../src/headless/main-vx.ts";
import { openNodeKey } from "../../../src/headless/network/node-key.ts";
import {
  isNodeRunning,
  readRunningNode,
  removeRunningNode,
  writeRunningNode,
} from "../../../src/headless/running-node.ts";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const NOW = new Date("2026-01-02T03:04:05.678Z");
const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe("API keys", () => {
  it("are 32 random bytes in base64url behind a prefix, never twice the same", () => {
    const keys = Array.from({ length: 100 }, makeApiKey);
    for (const key of keys) expect(key).toMatch(/^shoal_[A-Za-z0-9_-]{43}$/);
    expect(new Set(keys).size).toBe(100);
  });

  it("verify from the moment they are made until they are revoked, in an open store too", async () => {
    const folder = join(await temporaryFolder(), "keys");
    const keys = openApiKeys(folder, makeApiKey());
    expect(await hasApiKeys(folder)).toBe(false);
    const [one, two] = [await generateApiKey(folder, "one", NOW), await generateApiKey(folder, "two", NOW)];
    expect(await keys.verify(one)).toBe(true);
    expect(await keys.verify(two)).toBe(true);
    await revokeApiKey(folder, "one");
    expect(await keys.verify(one)).toBe(false);
    expect(await keys.verify(two)).toBe(true);
  });

  it("leave nothing of one whose making was killed, once another is made, and let be one that is being made", async () => {
    const folder = await temporaryFolder();
    const [killed, underWay] = ["a", "b"].map((digit) => `${digit.repeat(64)}.json.new`) as [string, string];
    for (const name of [killed, underWay]) await writeFile(join(folder, name), "{");
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(folder, killed), hourAgo, hourAgo);
    await generateApiKey(folder, "one", NOW);
    expect((await readdir(folder)).filter((name) => name.endsWith(".new"))).toEqual([underWay]);
  });

  it("stay revoked through power loss: their folder is made durable without them", async () => {
    const folder = await temporaryFolder();
    await generateApiKey(folder, "one", NOW);
    const handle = await open(folder);
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
    onTestFinished(() => sync.mockRestore());
    await handle.close();
    await revokeApiKey(folder, "one");
    expect(sync).toHaveBeenCalledOnce();
  });

  it("are listed without one that is revoked just then", async () => {
    const folder = await temporaryFolder();
    await generateApiKey(folder, "one", NOW);
    // As one looks that goes between the list of the names and the reading: a name, and no file.
    await symlink("gone", join(folder, `${"0".repeat(64)}.json`));
    expect(await listApiKeys(folder)).toMatchObject([{ name: "one" }]);
    expect(await revokeApiKey(folder, "one")).toMatchObject({ name: "one" });
  });

  it("are known and forgotten at once by a store that has long been open", async () => {
    const folder = await temporaryFolder();
    const keys = openApiKeys(folder, makeApiKey());
    const made: string[] = [];
    for (const name of ["one", "two", "three"]) {
      made.push(await generateApiKey(folder, name, NOW));
      // As if nothing had been changed for a minute.
      const before = new Date(Date.now() - 60_000 * (4 - made.length));
      await utimes(folder, before, before);
      for (const key of [...made, ...made]) expect(await keys.verify(key)).toBe(true);
    }
    await revokeApiKey(folder, "two");
    expect(await Promise.all(made.map((key) => keys.verify(key)))).toEqual([true, false, true]);
  });

  it("are the key of this run too, which is stored nowhere", async () => {
    const folder = await temporaryFolder();
    const runKey = makeApiKey();
    expect(await openApiKeys(folder, runKey).verify(runKey)).toBe(true);
    expect(await openApiKeys(folder, makeApiKey()).verify(runKey)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(["", "shoal_", "x".repeat(10_000), "\0", "../../x"])("are not %j", async (key) => {
    const folder = await temporaryFolder();
    await generateApiKey(folder, "a", NOW);
    expect(await openApiKeys(folder, makeApiKey()).verify(key)).toBe(false);
  });

  it("stand in files for their owner alone, by hash, without the key", async () => {
    const folder = join(await temporaryFolder(), "keys");
    const key = await generateApiKey(folder, "laptop", NOW);
    const [name = ""] = await readdir(folder);
    expect(await mode(join(folder, name))).toBe(0o600);
    expect(await mode(folder)).toBe(0o700);
    expect(name + (await readFile(join(folder, name), "utf8"))).not.toContain(key.slice(6));
    expect(await listApiKeys(folder)).toEqual([
      { id: name.slice(0, 12), name: "laptop", createdAt: NOW.toISOString() },
    ]);
  });

  it("are listed and revoked beside one whose file is damaged, and so is that one", async () => {
    const folder = await temporaryFolder();
    await generateApiKey(folder, "whole", NOW);
    const damaged = ["", "{", "null", "[]", '{"name":1}'];
    for (const [i, text] of damaged.entries()) {
      await writeFile(join(folder, `${String(i).repeat(64)}.json`), text);
    }
    expect(await listApiKeys(folder)).toHaveLength(1 + damaged.length);
    expect(await revokeApiKey(folder, "whole")).toMatchObject({ name: "whole" });
    for (const i of damaged.keys()) await revokeApiKey(folder, String(i).repeat(12));
    expect(await hasApiKeys(folder)).toBe(false);
  });

  it("are revoked by id when several have the name", async () => {
    const folder = await temporaryFolder();
    await generateApiKey(folder, "same", NOW);
    await generateApiKey(folder, "same", NOW);
    await expect(revokeApiKey(folder, "same")).rejects.toMatchObject({ name: "request_failed" });
    await expect(revokeApiKey(folder, "other")).rejects.toMatchObject({ name: "request_failed" });
    const [first] = await listApiKeys(folder);
    await revokeApiKey(folder, first?.id ?? "");
    expect(await listApiKeys(folder)).toHaveLength(1);
  });

  it("opens the frozen key of format v1", async () => {
    const frozen = join(import.meta.dirname, "../../fixtures/formats/v1/api-keys");
    expect(await openApiKeys(frozen, makeApiKey()).verify("shoal_frozen-key-of-format-v1")).toBe(true);
    expect(await listApiKeys(frozen)).toMatchObject([
      { name: "frozen", createdAt: "2026-01-02T03:04:05.678Z" },
    ]);
  });
});

describe("the first key", () => {
  it("is made on loopback, shown on a terminal and else left in a file for its owner", async () => {
    for (const isTerminal of [true, false]) {
      const folder = await openDataFolder(await temporaryFolder());
      expect(await needsFirstKey(folder, "127.0.0.1")).toBe(true);
      const first = await makeFirstKey(folder, { isTerminal, now: NOW });
      expect(Object.keys(first)).toEqual([isTerminal ? "key" : "keyFile"]);
      if (!isTerminal) expect(await mode(folder.firstKeyFile)).toBe(0o600);
      expect(await needsFirstKey(folder, "127.0.0.1")).toBe(false);
    }
  });

  it("is not made by a start that fails, which would show it to nobody", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const dataDir = await temporaryFolder();
    const { port } = taken.address() as AddressInfo;
    const start = async (apiPort: number) => {
      const flags = { "api-port": apiPort, "data-dir": dataDir, "vx-storage-path": ":memory:" };
      const settings = await loadSettings({ flags, environment: {} });
      return await startIndex(settings, { log: createLog("silent", () => {}), isTerminal: true });
    };
    await expect(start(port)).rejects.toMatchObject({ name: "start_failed" });
    const { firstKey, stop } = await start(0);
    expect(await firstKey()).toMatchObject({ key: expect.any(String) });
    await stop();
  });

  it("is not made where it can't be left in its file, and by the next start that can", async () => {
    const folder = await openDataFolder(await temporaryFolder());
    await mkdir(folder.firstKeyFile);
    const make = () => makeFirstKey(folder, { isTerminal: false, now: NOW });
    await expect(make()).rejects.toMatchObject({ code: "EISDIR" });
    expect(await needsFirstKey(folder, "127.0.0.1")).toBe(true);
    await rmdir(folder.firstKeyFile);
    await make();
    const key = (await readFile(folder.firstKeyFile, "utf8")).trim();
    expect(await openApiKeys(folder.apiKeysFolder, makeApiKey()).verify(key)).toBe(true);
  });

  it("is revoked where what stands in place of its file can't be read", async () => {
    const folder = await openDataFolder(await temporaryFolder());
    await mkdir(folder.firstKeyFile);
    await expect(removeRevokedKeyFile(folder, "0123456789ab")).resolves.toBeUndefined();
    expect(await readdir(folder.path)).toContain("first-api-key");
  });

  it("is not in its file before it is a key, nor is one that was revoked", async () => {
    const folder = await openDataFolder(await temporaryFolder());
    await writeFile(folder.firstKeyFile, "of one that was revoked");
    await writeFile(folder.apiKeysFolder, "nothing can be stored here");
    await expect(makeFirstKey(folder, { isTerminal: false, now: NOW })).rejects.toMatchObject({
      code: "EEXIST",
    });
    expect((await readdir(folder.path)).filter((name) => name.startsWith("first-api-key"))).toEqual([]);
  });

  it.each(["0.0.0.0", "::", "192.0.2.1", "::ffff:0.0.0.0"])(
    "is not made for %s, which is refused until a key exists",
    async (host) => {
      const folder = await openDataFolder(await temporaryFolder());
      await expect(needsFirstKey(folder, host)).rejects.toMatchObject({ name: "start_failed" });
      expect(await hasApiKeys(folder.apiKeysFolder)).toBe(false);
      await generateApiKey(folder.apiKeysFolder, "own", NOW);
      expect(await needsFirstKey(folder, host)).toBe(false);
    },
  );
});

describe("the data folder", () => {
  it("is made for its owner alone and tells its format", async () => {
    const path = join(await temporaryFolder(), "deep/data");
    await openDataFolder(path);
    expect(await mode(path)).toBe(0o700);
    expect(await readFile(join(path, "format"), "utf8")).toBe("1\n");
    await openDataFolder(path);
  });

  it("is refused in a format that this program does not know, untouched", async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, "format"), "2\n");
    await expect(openDataFolder(path)).rejects.toMatchObject({ name: "start_failed" });
    expect(await readdir(path)).toEqual(["format"]);
  });

  it("is refused where a file stands", async () => {
    const path = join(await temporaryFolder(), "file");
    await writeFile(path, "");
    await expect(openDataFolder(path)).rejects.toMatchObject({ name: "start_failed" });
  });

  it("is refused beneath a link to what is not there", async () => {
    const folder = await temporaryFolder();
    await symlink(join(folder, "not mounted"), join(folder, "disk"));
    await expect(openDataFolder(join(folder, "disk/data"))).rejects.toMatchObject({ name: "start_failed" });
  });
});

describe("the node key", () => {
  it("stays the same, for its owner alone", async () => {
    const file = join(await temporaryFolder(), "node.key");
    const made = await openNodeKey(file);
    expect((await openNodeKey(file)).equals(made)).toBe(true);
    expect(await mode(file)).toBe(0o600);
  });

  it("is never replaced when damaged", async () => {
    const file = join(await temporaryFolder(), "node.key");
    await writeFile(file, "damaged");
    await expect(openNodeKey(file)).rejects.toMatchObject({ name: "start_failed" });
    expect(await readFile(file, "utf8")).toBe("damaged");
  });
});

describe("the file of the running node", () => {
  it("comes back as written, for its owner alone", async () => {
    const file = join(await temporaryFolder(), "running.json");
    const running = { url: "http://127.0.0.1:8081", key: makeApiKey(), pid: 1 };
    await writeRunningNode(file, running);
    expect(await readRunningNode(file)).toEqual(running);
    expect(await mode(file)).toBe(0o600);
  });

  it("tells whether that process still runs, and is removed by none but the one that wrote it", async () => {
    const file = join(await temporaryFolder(), "running.json");
    expect(await isNodeRunning(file)).toBe(false);
    const running = { url: "http://127.0.0.1:8081", key: makeApiKey(), pid: process.pid };
    await writeRunningNode(file, running);
    expect(await isNodeRunning(file)).toBe(true);
    await removeRunningNode(file, { key: makeApiKey() });
    expect(await readRunningNode(file)).toEqual(running);

    const ended = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    await once(ended, "exit");
    await writeRunningNode(file, { ...running, pid: ended.pid ?? 0 });
    expect(await isNodeRunning(file)).toBe(false);
    await removeRunningNode(file, running);
    expect(await readRunningNode(file)).toBeUndefined();
  });

  it.each(["", "{", "[]", '{"url":"x","key":"y","pid":1}'])(
    "counts as absent when it holds %j",
    async (content) => {
      const folder = await temporaryFolder();
      await mkdir(join(folder, "a"));
      await writeFile(join(folder, "a/running.json"), content);
      expect(await readRunningNode(join(folder, "a/running.json"))).toBeUndefined();
      expect(await readRunningNode(join(folder, "b/running.json"))).toBeUndefined();
    },
  );
});
