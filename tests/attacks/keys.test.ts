/** Attacks 4 and 5 on the built command: who may open the API to a network, and where keys are to be found. */
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shoal } from "../interop/shoal-command.ts";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { sendRaw } from "./raw-http.ts";

/** Its folder, keys included, was made by the command before it started. */
const lasting = new Shoals();
let node: ShoalProcess;
let data: string;
let key: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  data = join(folder, "data");
  key = (await shoal(["generate-api-key", "--data-dir", data, "--name", "tester"])).stdout.trim();
  node = await lasting.start({ folder, flags: ["--log-level", "trace"] });
});
afterAll(() => lasting[Symbol.asyncDispose]());

/** Every file below a folder with its bytes. */
async function filesBelow(folder: string): Promise<[path: string, bytes: Buffer][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.map(async (path) => [path, await readFile(path)] as [string, Buffer]));
}

describe("a bind address that other machines reach", () => {
  it("is refused at start while there is no key", async () => {
    const keyless = join(await temporaryFolder(), "data");
    const args = ["start", "--enable-api", "--api-host", "0.0.0.0", "--api-port", "0", "--no-mdns"];
    const { code, stdout, stderr } = await shoal([...args, "--data-dir", keyless]);
    expect(code).toBe(1);
    expect(stderr).toContain(`make an API key first, with shoal generate-api-key --data-dir ${keyless}`);
    expect(stdout).not.toContain("http://");
    expect(await readdir(keyless)).not.toContain("first-api-key");
    expect(await readdir(keyless)).not.toContain("running.json");
  });

  it("is no default: without --api-host nothing but loopback listens", async () => {
    expect(new URL(node.url).hostname).toBe("127.0.0.1");
    const listening = await listeningAddresses(node);
    expect(listening.length).toBeGreaterThan(0);
    expect(new Set(listening)).toEqual(new Set(["0100007F"]));
  });
});

describe("an API key", () => {
  it("is in no file and no log line, whatever is asked with it, and its folder is its owner's alone", async () => {
    expect(key).toMatch(/^shoal_[\w-]{43}$/);
    expect(Buffer.from(key.slice("shoal_".length), "base64url")).toHaveLength(32);

    const port = new URL(node.url).port;
    const ask = (path: string, ...lines: string[]) =>
      sendRaw(node.url, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...lines]);
    expect((await ask("/api/v1/files", `Authorization: Bearer ${key}`)).status).toBe(200);
    expect((await ask("/api/v1/files/x/content", `Authorization: Bearer ${key}`)).status).toBe(404);
    for (const query of [`api_key=${key}`, `token=${key}`, `authorization=Bearer%20${key}`]) {
      expect((await ask(`/api/v1/files?${query}`)).status).toBe(401);
    }
    expect((await ask("/api/v1/files", `Authorization: Bearer ${key}x`)).status).toBe(401);
    expect((await ask("/api/v1/files", `Authorization: Bearer ${key.slice(0, -1)}`)).status).toBe(401);

    for (const [path, bytes] of await filesBelow(data)) expect(bytes.includes(key), path).toBe(false);
    const logged = node.log.join("\n");
    expect(logged).not.toContain(key);
    expect(logged).not.toContain(node.apiKey);
    for (const name of await readdir(join(data, "api-keys"))) {
      expect((await stat(join(data, "api-keys", name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(data)).mode & 0o077).toBe(0);
  });

  it("that is revoked opens nothing from the next request on", async () => {
    const lost = (await shoal(["generate-api-key", "--data-dir", data, "--name", "lost"])).stdout.trim();
    const status = async () => {
      const headers = { Authorization: `Bearer ${lost}` };
      return (await fetch(`${node.url}/api/v1/files`, { headers })).status;
    };
    expect(await status()).toBe(200);
    expect((await shoal(["revoke-api-key", "lost", "--data-dir", data])).code).toBe(0);
    expect(await status()).toBe(401);
  });
});

describe("a data folder that was there before, for others to look into", () => {
  it("holds nothing that they may read", async () => {
    await using shoals = new Shoals();
    const folder = await temporaryFolder();
    const open = join(folder, "data");
    await mkdir(open);
    await chmod(open, 0o755);
    const { client } = await shoals.start({ folder });
    await client.upload(new Uint8Array([1]), { name: "diary.txt", unlisted: true });
    for (const name of await readdir(open)) expect((await stat(join(open, name))).mode & 0o077, name).toBe(0);
  });
});

/** Local IPv4 addresses, in the hexadecimal of /proc, that the process listens on, and "ipv6" for any of those. */
async function listeningAddresses(node: ShoalProcess): Promise<string[]> {
  const sockets = await readlinks(`/proc/${node.child.pid}/fd`);
  const listening = async (table: string) =>
    (await readFile(`/proc/${node.child.pid}/net/${table}`, "utf8"))
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === "0A" && sockets.has(`socket:[${inode}]`))
      .map(([, local = ""]) => (table === "tcp" ? (local.split(":")[0] ?? "") : "ipv6"));
  return [...(await listening("tcp")), ...(await listening("tcp6"))];
}

async function readlinks(folder: string): Promise<Set<string>> {
  const names = await readdir(folder);
  // A descriptor may be closed between the listing and the look.
  const links = await Promise.allSettled(names.map((name) => readlink(join(folder, name))));
  return new Set(links.flatMap((link) => (link.status === "fulfilled" ? [link.value] : [])));
}
