/** The command `shoal` as its users meet it: what it prints, where it leaves things, how it ends. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { generateApiKey } from "../../src/headless/api-keys.ts";
import { openDataFolder } from "../../src/headless/data-folder.ts";
import { makeFirstKey } from "../../src/headless/first-key.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { on, shoal } from "./shoal-command.ts";
import { COMMAND, type ShoalProcess, Shoals } from "./shoal-process.ts";

const HOMELESS = join(import.meta.dirname, "homeless.preload.cjs");

const UNREACHABLE = "/ip4/127.0.0.1/tcp/1";

/** A node that looks for nobody, and reads no files. */
const ALONE = ["--no-mdns", "--no-search", "--listen", "/ip4/127.0.0.1/tcp/0"];

/** These two run for all tests: the second knows the first, and serves the page. */
const lasting = new Shoals();
let node: ShoalProcess;
let other: ShoalProcess;
beforeAll(async () => {
  node = await lasting.start();
  other = await lasting.start({
    bootstrap: [node],
    flags: ["--bootstrap", UNREACHABLE, "--web-port", "0"],
  });
});
afterAll(() => lasting[Symbol.asyncDispose]());

describe("shoal", () => {
  it("says once in its log that a bootstrap address cannot be reached", async () => {
    const told = () => other.log.flatMap((line) => (line.includes(UNREACHABLE) ? [JSON.parse(line)] : []));
    await expect
      .poll(told)
      .toMatchObject([{ level: 40, address: UNREACHABLE, reason: expect.stringContaining("ECONNREFUSED") }]);
  });

  it("says where everything is, keeps secrets to its owner, and stops cleanly", async () => {
    const folder = await temporaryFolder();
    const data = join(folder, "data");
    const args = [COMMAND, "--enable-api", "--api-port", "0", ...ALONE, "--data-dir", data];
    const child = spawn(process.execPath, args, { cwd: folder });
    let logged = "";
    child.stderr.on("data", (piece) => {
      logged += piece;
    });
    const printed = await untilPrinted(child.stdout);
    const url = /^API +(http:\/\/127\.0\.0\.1:\d+) /m.exec(printed)?.[1];
    expect(printed).toMatch(/^node +12D3Koo/m);
    expect(printed).toMatch(/^peers +\/ip4\/127\.0\.0\.1\/tcp\/\d+\/p2p\/12D3Koo/m);
    expect(printed).toContain(`data     ${data}`);
    expect(printed).toContain(`key      in ${join(data, "first-api-key")}`);

    const key = (await readFile(join(data, "first-api-key"), "utf8")).trim();
    expect(key).toMatch(/^shoal_[\w-]{43}$/);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/files`)).status).toBe(401);
    expect((await fetch(`${url}/api/v1/files`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/api/v1/docs/swagger-ui-bundle.js`)).status).toBe(200);
    const secrets = ["first-api-key", "running.json", "node.key", ...(await apiKeyFiles(data))];
    for (const name of secrets) expect((await stat(join(data, name))).mode & 0o777, name).toBe(0o600);
    expect(printed + logged).not.toContain(key);

    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(await readdir(data)).not.toContain("running.json");
  });

  it("takes the first key's file away as that key is revoked, and as no other is", async () => {
    const folder = await openDataFolder(await temporaryFolder());
    await makeFirstKey(folder, { isTerminal: false, now: new Date() });
    await generateApiKey(folder.apiKeysFolder, "another", new Date());
    expect((await shoal(["revoke-api-key", "another", "--data-dir", folder.path])).code).toBe(0);
    expect(await readdir(folder.path)).toContain("first-api-key");
    expect((await shoal(["revoke-api-key", "first key", "--data-dir", folder.path])).code).toBe(0);
    expect(await readdir(folder.path)).not.toContain("first-api-key");
  });

  it("takes WebSockets of the swarm where it serves the page, though told to listen for TCP alone", async () => {
    const socket = new WebSocket(other.pageUrl.replace(/^http/, "ws"));
    await once(socket, "open");
    socket.terminate();
  });

  it("takes none of a web page of a stranger, there or where it listens for them", async () => {
    const { addresses } = await other.client.nodeInfo();
    const port = /\/tcp\/(\d+)\/ws/.exec(addresses.join())?.[1];
    for (const url of [other.pageUrl.replace(/^http/, "ws"), `ws://127.0.0.1:${port}`]) {
      const refused = new WebSocket(url, { origin: "https://evil.example" });
      const [, answer] = await once(refused, "unexpected-response");
      expect(answer.statusCode).toBe(403);
      const taken = new WebSocket(url, { origin: "http://localhost:8080" });
      await once(taken, "open");
      taken.terminate();
    }
    const warnings = () => other.log.filter((line) => line.includes("https://evil.example"));
    await expect.poll(warnings).toEqual([expect.stringContaining("see --host-name and --cors-origin")]);
  });

  it("opens no API without --enable-api, and goes on when whoever read its log has gone", async () => {
    const data = join(await temporaryFolder(), "data");
    const args = [COMMAND, ...ALONE, "--data-dir", data];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stderr.destroy();
    const printed = await untilPrinted(child.stdout);
    expect(printed).not.toContain("http");
    expect(printed).toMatch(/^API +off .*--enable-api/m);
    const exited = once(child, "exit");
    child.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
  });

  it("stops as for other signals when its terminal hangs up, and ends by that", async () => {
    const data = join(await temporaryFolder(), "data");
    const args = [COMMAND, "--enable-api", "--api-port", "0", ...ALONE, "--data-dir", data];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    const exited = once(child, "exit");
    await untilPrinted(child.stdout);
    expect(await readdir(data)).toContain("running.json");
    child.kill("SIGHUP");
    expect(await exited).toEqual([null, "SIGHUP"]);
    expect(await readdir(data)).not.toContain("running.json");
  });

  it("keeps its node id, its addresses' certificate and its files over a kill", async () => {
    await using shoals = new Shoals();
    const flags = ["--listen", "/ip4/127.0.0.1/udp/0/webrtc-direct"];
    const before = await shoals.start({ flags });
    const { node_id, addresses } = await before.client.nodeInfo();
    const certificates = (of: string[]) => of.flatMap((one) => /certhash\/[^/]+\/p2p\/.+/.exec(one) ?? []);
    expect(certificates(addresses)).toHaveLength(1);
    await writeFile(join(before.folder, "shared/a.txt"), "hello world");
    const { file_id } = await before.client.share("a.txt");
    expect(file_id).toBe("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
    await before.kill();

    const after = await shoals.start({ folder: before.folder, flags });
    const again = await after.client.nodeInfo();
    expect(again.node_id).toBe(node_id);
    expect(certificates(again.addresses)).toEqual(certificates(addresses));
    expect((await after.client.files()).files).toMatchObject([
      { id: file_id, name: "a.txt", complete: true },
    ]);
  });

  it("refuses a data folder and an address in use", async () => {
    const data = join(node.folder, "data");
    const taken = await shoal(["--no-mdns", "--data-dir", data, "--listen", "/ip4/127.0.0.1/tcp/0"]);
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("--data-dir") });

    const impossible = await shoal(["--no-mdns", "--data-dir", "/proc/shoal"]);
    expect(impossible).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^shoal: cannot use the data folder \/proc\/shoal: .+\n$/),
    });

    const [peers] = (await node.client.nodeInfo()).addresses;
    const port = await shoal([
      "--no-mdns",
      "--data-dir",
      await temporaryFolder(),
      "--listen",
      String(peers?.split("/p2p/")[0]),
    ]);
    expect(port).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^shoal: cannot listen:\n.*EADDRINUSE/),
    });
    expect(port.stderr).not.toContain("unexpected");
  });

  it.each([
    [["--api-port", "x"], {}, "--api-port"],
    [[], { SHOAL_MAX_STORAGE: "much" }, "SHOAL_MAX_STORAGE"],
    [["--listen", "nonsense"], {}, "--listen nonsense"],
    [["--no-such-flag"], {}, "shoal: unknown option '--no-such-flag'"],
    [["--vx-dimension", "3"], {}, "--vx-dimension is for the vector index"],
    [
      ["vx", "--vx-storage-path", ":memory:", "--vx-backup-interval", "1h"],
      {},
      "give --vx-backup-path with it",
    ],
    [["vx", "--vx-encryption-enabled"], { SHOAL_VX_ENCRYPTION_KEY: "short" }, "at least 32 bytes"],
    [["nonsense"], {}, 'no command "nonsense"'],
    [["help", "nonsense"], {}, 'no command "nonsense"'],
    [["files", "--url", "ftp://x"], {}, "--url"],
    [["download"], {}, "file-id"],
    [["download", "bafk", "--max-peers", "1e2"], {}, "no whole number"],
    [["pause"], {}, "'id'"],
    [["add-webhook", "http://x", "--event", "noon"], {}, "noon"],
    [["generate-api-key", "--name", " "], {}, "the name of a key"],
  ])(
    "answers the wrong command line %j with code 2 and the reason, and makes no data folder",
    async (args, environment, reason) => {
      const data = join(await temporaryFolder(), "data");
      const outcome = await shoal(args, {
        SHOAL_DATA_DIR: data,
        SHOAL_LISTEN: "/ip4/127.0.0.1/tcp/0",
        SHOAL_MDNS: "false",
        ...environment,
      });
      expect(outcome.stderr).toContain(reason);
      expect(outcome.code).toBe(2);
      await expect(readdir(data)).rejects.toThrow("ENOENT");
    },
  );

  it("tells what the file system says without a place in the program", async () => {
    const data = await temporaryFolder();
    await writeFile(join(data, "api-keys"), "");
    const outcome = await shoal(["generate-api-key"], { SHOAL_DATA_DIR: data });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^shoal: E[A-Z]+: [^\n]*\n$/) });
  });

  it("says that there is no new key where nobody took it", async () => {
    const data = await temporaryFolder();
    const child = spawn(process.execPath, [COMMAND, "generate-api-key", "--data-dir", data]);
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(said).toBe("shoal: cannot write to the standard output: write EPIPE; so there is no new key\n");
    expect(code).toBe(1);
    expect((await shoal(["list-api-keys", "--data-dir", data])).stdout).not.toContain("unnamed");
  });

  it("answers the name of no key with code 1", async () => {
    const outcome = await shoal(["revoke-api-key", "nobody"], { SHOAL_DATA_DIR: await temporaryFolder() });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('no key "nobody"') });
  });

  it("makes no data folder where keys are looked for in one that is not there", async () => {
    const mistyped = join(await temporaryFolder(), "dta");
    for (const command of [["list-api-keys"], ["revoke-api-key", "nobody"]]) {
      const outcome = await shoal(command, { SHOAL_DATA_DIR: mistyped });
      expect(outcome).toMatchObject({ code: 1, stderr: `shoal: there is no data folder at ${mistyped}\n` });
    }
    await expect(readdir(mistyped)).rejects.toThrow("ENOENT");
  });

  it("needs no home folder where its data folder is named, and says that one is to be named where it is not", async () => {
    const data = join(await temporaryFolder(), "data");
    const homeless = { NODE_OPTIONS: `--require ${HOMELESS}` };
    expect(await shoal(["generate-api-key"], homeless)).toEqual({
      code: 1,
      stdout: "",
      stderr: "shoal: this user has no home folder: name a data folder with --data-dir\n",
    });
    const made = await shoal(["generate-api-key", "--data-dir", data], homeless);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shoal_/), stderr: "" });
    await using shoals = new Shoals();
    const { client } = await shoals.start({ nodeFlags: ["--require", HOMELESS] });
    expect((await client.nodeInfo()).node_id).toMatch(/^12D3Koo/);
  });

  it("goes on, and says so, after work in the background of which nobody hears", async () => {
    await using shoals = new Shoals();
    const failing = `process.on("SIGUSR2", () => void Promise.reject(new Error("a line closed")))`;
    const { child, client, log } = await shoals.start({
      nodeFlags: ["--import", `data:text/javascript,${encodeURIComponent(failing)}`],
    });
    child.kill("SIGUSR2");
    await expect
      .poll(() => log.find((line) => line.includes("a line closed")))
      .toContain("nobody waited for");
    expect((await client.nodeInfo()).node_id).toMatch(/^12D3Koo/);
    log.length = 0;
  });

  it("tells its commands, its flags, their defaults and its version", async () => {
    const help = await shoal(["--help"]);
    for (const name of [
      "start",
      "vx",
      "share",
      "download",
      "resume",
      "pause",
      "cancel",
      "save",
      "files",
      "similar",
      "transfers",
      "connect",
      "webhooks",
      "generate-api-key",
    ])
      expect(help.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    for (const words of [["help"], ["help", "help"]]) expect(await shoal(words)).toEqual(help);
    const flags = (await shoal(["start", "--help"])).stdout.replace(/\s+/g, " ");
    for (const line of ["--api-port <port>", "(default: 8081) [SHOAL_API_PORT]", "(default: 10GiB)"])
      expect(flags).toContain(line);
    expect(await shoal(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it("makes keys that a running node takes at once and revokes at once", async () => {
    const status = async (key: string) =>
      (await fetch(`${node.url}/api/v1/files`, { headers: { Authorization: `Bearer ${key}` } })).status;

    const made = await on(node, "generate-api-key", "--name", "laptop");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shoal_[\w-]{43}\n$/) });
    const key = made.stdout.trim();
    expect(await status(key)).toBe(200);
    const data = join(node.folder, "data");
    for (const file of await apiKeyFiles(data))
      expect(await readFile(join(data, file), "utf8")).not.toContain(key);
    const { keys } = JSON.parse((await on(node, "list-api-keys", "--json")).stdout);
    expect(keys.map(({ name }: { name: string }) => name)).toContain("laptop");
    expect((await on(node, "revoke-api-key", "laptop")).code).toBe(0);
    expect(await status(key)).toBe(401);
  });
});

describe("the client commands", () => {
  it("share, list, download, show and delete", async () => {
    const path = join(node.folder, "shared/\u202etxt.bin");
    await writeFile(path, new Uint8Array(3_000_000).fill(7));
    const shared = JSON.parse((await on(node, "share", path, "--json")).stdout);
    expect(shared).toMatchObject({ size: 3_000_000, chunks: 3 });
    const listed = await on(node, "files");
    expect(listed.stdout).toContain(shared.file_id);
    expect(listed.stdout).not.toContain("\u202e");

    const place = join(await realpath(other.folder), "downloads/copy.bin");
    const downloaded = await on(other, "download", shared.file_id, "copy.bin");
    expect(downloaded).toMatchObject({ code: 0, stdout: `${shared.file_id} is here: ${place}\n` });
    const copy = await readFile(place);
    expect(copy.equals(await readFile(path))).toBe(true);

    const inStore = await on(other, "download", shared.file_id);
    expect(inStore).toMatchObject({ code: 0, stdout: `${shared.file_id} is here\n` });
    const again = await on(other, "download", shared.file_id, "copy.bin");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("(409)") });
    expect(JSON.parse((await on(other, "status", "--json")).stdout).node).toMatchObject({
      peers_connected: 1,
    });
    expect((await on(other, "peers")).stdout).toContain("tcp");
    const ended = (await on(other, "transfers", "--all")).stdout;
    expect(ended).toMatch(new RegExp(` completed .* ${shared.file_id}  ${shared.name}$`, "m"));
    expect((await on(other, "transfers")).stdout).not.toContain("completed");
    expect((await on(other, "delete", shared.file_id)).code).toBe(0);
    expect(JSON.parse((await on(other, "files", "--json")).stdout).files).toEqual([]);
  });

  it.runIf(process.platform === "linux")("fail where what they print can't be written", async () => {
    await writeFile(join(node.folder, "shared/file.bin"), "bytes");
    const { file_id } = await node.client.share("file.bin");
    const keysBefore = (await on(node, "list-api-keys")).stdout;
    const full = await open("/dev/full", "w");
    onTestFinished(() => full.close());
    for (const command of [["status"], ["files", "--json"], ["generate-api-key"], ["save", file_id, "-"]]) {
      const args = [COMMAND, ...command, "--data-dir", join(node.folder, "data")];
      const child = spawn(process.execPath, args, { stdio: ["ignore", full.fd, "pipe"] });
      const [said, [code]] = await Promise.all([
        text(child.stderr as NodeJS.ReadableStream),
        once(child, "exit"),
      ]);
      expect(said).toMatch(/^shoal: cannot write to the standard output: ENOSPC: .*\n$/);
      expect(code).toBe(1);
    }
    expect((await on(node, "list-api-keys")).stdout).toBe(keysBefore);
  });

  it("leave a download running in the node on Ctrl-C and say how to go on", async () => {
    await writeFile(join(node.folder, "shared/slow.bin"), randomBytes(20_000_000));
    const { file_id } = await node.client.share("slow.bin");
    onTestFinished(async () => void (await other.client.changeSettings({ max_download: null })));
    await other.client.changeSettings({ max_download: 300_000 });

    const watching = spawn(process.execPath, [
      COMMAND,
      "download",
      file_id,
      "--data-dir",
      join(other.folder, "data"),
    ]);
    let said = "";
    watching.stderr.on("data", (piece) => {
      said += piece;
    });
    const exited = once(watching, "close");
    for await (const event of other.client.events({ events: ["transfer_progress"], lastEventId: "0" })) {
      if (event.event === "transfer_progress" && event.data.file_id === file_id) break;
    }
    watching.kill("SIGINT");
    expect(await exited).toEqual([130, null]);
    expect(said).toContain(`shoal resume ${file_id}`);
    const { transfers } = await other.client.transfers();
    expect(transfers).toMatchObject([{ file_id, status: expect.stringMatching(/^(started|in_progress)$/) }]);
    await other.client.cancel(String(transfers[0]?.id));
  });

  it("pause and cancel a download by its own id or by that of its file", async () => {
    // Nobody offers it, so its transfers wait.
    const file_id = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
    const { transfer_id: first } = await node.client.download({ file_id });

    expect(await on(node, "pause", file_id)).toMatchObject({
      code: 0,
      stdout: `Transfer paused; shoal resume ${file_id} goes on with it\n`,
    });
    expect(await node.client.transfer(first)).toMatchObject({ status: "interrupted", paused: true });
    const { transfer_id: second } = await node.client.download({ file_id, output_path: "copy.bin" });
    const either = await on(node, "cancel", file_id);
    expect(either).toMatchObject({ code: 1, stderr: expect.stringContaining("several") });
    for (const id of [first, second]) expect(either.stderr).toContain(id);

    const cancelled = await on(node, "cancel", first, "--json");
    expect(JSON.parse(cancelled.stdout)).toEqual({ success: true, message: "Transfer cancelled" });
    const upperCase = await on(node, "cancel", file_id.toUpperCase());
    expect(upperCase).toMatchObject({ code: 0, stdout: "Transfer cancelled\n" });
    for (const id of [first, second])
      expect(await node.client.transfer(id)).toMatchObject({ status: "cancelled" });

    const [ended, none, noId] = await Promise.all([
      on(node, "pause", first),
      on(node, "cancel", file_id),
      on(node, "cancel", "movie.mp4"),
    ]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("(409)") });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("no transfer") });
    expect(noId).toMatchObject({ code: 2, stderr: expect.stringContaining("movie.mp4") });
  });

  it("reach a node elsewhere by --url and --api-key, and send no other node its key", async () => {
    const elsewhere = ["--url", node.url, "--data-dir", join(other.folder, "data")];
    expect(await shoal(["status", ...elsewhere])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--api-key"),
    });
    const byName = node.url.replace("127.0.0.1", "localhost");
    expect((await on(node, "status", "--url", byName)).code).toBe(0);
    expect(await on(other, "status", "--url", byName)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--api-key"),
    });
    expect((await shoal(["status", ...elsewhere, "--api-key", node.apiKey])).code).toBe(0);
    expect((await shoal(["status", ...elsewhere], { SHOAL_API_KEY: node.apiKey })).code).toBe(0);
    const spaced = { SHOAL_URL: ` ${node.url} `, SHOAL_API_KEY: ` ${node.apiKey} ` };
    expect(await shoal(["status"], spaced)).toMatchObject({ code: 0, stderr: "" });
    expect(await shoal(["status", ...elsewhere, "--api-key", "wrong"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("(401)"),
    });
  });

  it("say that no node runs, or that it does not answer", async () => {
    const empty = await shoal(["files", "--data-dir", await temporaryFolder()]);
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining("no node") });
    const dead = await shoal(["files", "--url", "http://127.0.0.1:2", "--api-key", "x"]);
    expect(dead).toMatchObject({ code: 1, stderr: expect.stringMatching(/does not answer: .* \(start it/) });
  });
});

/** What a start prints, once that is all. */
async function untilPrinted(output: Readable): Promise<string> {
  let printed = "";
  for await (const piece of output) {
    printed += piece;
    if (/^data .*\n/m.test(printed)) break;
  }
  return printed;
}

async function apiKeyFiles(data: string): Promise<string[]> {
  return (await readdir(join(data, "api-keys"))).map((name) => join("api-keys", name));
}
