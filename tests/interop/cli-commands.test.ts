/** Commands that need a file, a peer or a webhook in the node: what they write, and what they refuse. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { calledName } from "../../src/client/called-name.ts";
import { MAX_NAME_BYTES } from "../../src/sharing/limits.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { on, shoal } from "./shoal-command.ts";
import { COMMAND, type ShoalProcess, Shoals } from "./shoal-process.ts";
import { until } from "./until.ts";

const BYTES = Buffer.alloc(3_000_000, "shoal ");

const PEER_NAME = "Ada's shelf";

let shoals: Shoals;
let node: ShoalProcess;
let peer: ShoalProcess;
let fileId: string;
beforeAll(async () => {
  shoals = new Shoals();
  node = await shoals.start({ flags: ["--webhook-allow-private"] });
  await writeFile(join(node.folder, "shared/minutes.txt"), BYTES);
  ({ file_id: fileId } = await node.client.share("minutes.txt"));
  peer = await shoals.start({ bootstrap: [node], flags: ["--name", PEER_NAME] });
});
afterAll(() => shoals[Symbol.asyncDispose]());

describe("shoal share", () => {
  it("prints the id alone where no terminal shows it", async () => {
    const shared = await on(node, "share", join(node.folder, "shared/minutes.txt"));
    expect(shared).toEqual({ code: 0, stdout: `${fileId}\n`, stderr: "" });
  });

  it("does not take a file for the folder that a slash names", async () => {
    const path = join(node.folder, "shared/minutes.txt");
    for (const spelt of [`${path}/`, `${path}/.`]) {
      expect(await on(node, "share", spelt)).toMatchObject({
        code: 1,
        stderr: "shoal: the path is a file, not a folder (400)\n",
      });
      expect(await on(node, "share", spelt, "--upload")).toMatchObject({ code: 2 });
    }
  });

  it("says which name is not valid UTF-8, also of a file to upload", async () => {
    const folder = join(node.folder, "shared");
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0x61, 0xff)]), "x");
    const path = join(folder, "a\ufffd");
    expect(await on(node, "share", path)).toMatchObject({
      code: 1,
      stderr: "shoal: the name a\\xff is not valid UTF-8: what is to be shared needs another (400)\n",
    });
    expect(await on(node, "share", path, "--upload")).toMatchObject({
      code: 2,
      stderr: `shoal: cannot read ${path}: the name a\\xff is not valid UTF-8\n`,
    });
  });
});

describe("shoal share --upload", () => {
  it("says of a folder that it is one", async () => {
    const folder = await temporaryFolder();
    expect(await on(node, "share", folder, "--upload")).toMatchObject({
      code: 2,
      stderr: `shoal: cannot read ${folder}: it is a folder\n`,
    });
  });

  it("takes no pipe or device, of which it would send nothing", async () => {
    expect(await on(node, "share", "/dev/null", "--upload")).toMatchObject({
      code: 2,
      stderr: "shoal: cannot read /dev/null: only a regular file can be shared\n",
    });
  });
});

describe("shoal share -", () => {
  it("shares what comes from the standard input under the name that is given", async () => {
    const args = ["share", "-", "--name", "dump.sql", "--data-dir", join(node.folder, "data"), "--json"];
    const command = spawn(process.execPath, [COMMAND, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    command.stdin.write(BYTES);
    command.stdin.end("the end");
    const { file_id, ...shared } = JSON.parse(await text(command.stdout));
    expect(shared).toMatchObject({ name: "dump.sql", size: BYTES.length + 7 });
    const kept = new Uint8Array(await (await node.client.content(file_id)).arrayBuffer());
    expect(Buffer.concat([BYTES, Buffer.from("the end")]).equals(kept)).toBe(true);
  });

  it("wants a name, which no file has that is shared where it stands", async () => {
    expect(await on(node, "share", "-")).toMatchObject({
      code: 2,
      stderr: "shoal: say by --name what it is called\n",
    });
    expect(await on(node, "share", join(node.folder, "shared/minutes.txt"), "--name", "other")).toMatchObject(
      {
        code: 2,
        stderr: expect.stringContaining("--name is of use with --upload or -"),
      },
    );
  });
});

describe("shoal save", () => {
  it("writes a stored file to a path, or to a folder under its name, and leaves nothing beside it", async () => {
    const folder = await temporaryFolder();
    const longName = `${"a".repeat(MAX_NAME_BYTES - 4)}.txt`;
    const named = await on(node, "save", fileId, join(folder, longName));
    expect(named).toEqual({ code: 0, stdout: `${join(folder, longName)}  2.9 MiB\n`, stderr: "" });
    const inFolder = await on(node, "save", fileId, folder, "--json");
    const path = join(folder, "minutes.txt");
    expect(JSON.parse(inFolder.stdout)).toEqual({ file_id: fileId, path, size: BYTES.length });
    for (const name of [longName, "minutes.txt"])
      expect(BYTES.equals(await readFile(join(folder, name))), name).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([longName, "minutes.txt"]);
  });

  it("hides no file under a stranger's name, as those are that programs read by themselves", async () => {
    const folder = await temporaryFolder();
    const { file_id } = await node.client.upload(Buffer.from("echo mine"), { name: ".bash_profile" });
    const saved = await on(node, "save", file_id, folder);
    expect(saved).toMatchObject({ code: 0, stdout: `${join(folder, "_bash_profile")}  9 B\n` });
    expect((await on(node, "save", file_id, join(folder, ".mine"))).code).toBe(0);
    expect((await readdir(folder)).sort()).toEqual([".mine", "_bash_profile"]);
    await node.client.deleteFile(file_id);
  });

  it("replaces a file only when told to, and no folder", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "mine.txt");
    await writeFile(path, "mine");
    const refused = await on(node, "save", fileId, path);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--overwrite") });
    expect(await readFile(path, "utf8")).toBe("mine");
    expect(await readdir(folder)).toEqual(["mine.txt"]);
    expect((await on(node, "save", fileId, path, "--overwrite")).code).toBe(0);
    expect(BYTES.equals(await readFile(path))).toBe(true);
    await mkdir(join(folder, "taken/minutes.txt"), { recursive: true });
    expect(await on(node, "save", fileId, join(folder, "taken"), "--overwrite")).toMatchObject({ code: 1 });
    expect(await readdir(join(folder, "taken"))).toEqual(["minutes.txt"]);
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await on(node, "save", fileId, pipe, "--overwrite")).toMatchObject({
      code: 1,
      stderr: `shoal: cannot write ${pipe}: only a regular file can be replaced\n`,
    });
    expect((await lstat(pipe)).isFIFO()).toBe(true);
    const nowhere = await on(node, "save", fileId, join(folder, "none/x.txt"));
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^shoal: cannot write .*none\/x\.txt: ENOENT: no such file or directory\n$/,
      ),
    });
  });

  it("writes to the standard output and nothing else there", async () => {
    const data = join(node.folder, "data");
    const child = spawn(process.execPath, [COMMAND, "save", fileId, "-", "--data-dir", data]);
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece) => pieces.push(piece));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(BYTES.equals(Buffer.concat(pieces))).toBe(true);
  });

  it("ends without a word when its reader has seen enough", async () => {
    const data = join(node.folder, "data");
    const child = spawn(process.execPath, [COMMAND, "save", fileId, "-", "--data-dir", data]);
    let said = "";
    child.stderr.on("data", (piece) => {
      said += piece;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await once(child, "close")).toEqual([0, null]);
    expect(said).toBe("");
  });

  it.each([
    ["SIGINT", 130],
    ["SIGHUP", 129],
    ["SIGTERM", 143],
  ] as const)("leaves nothing half written when it is ended by %s", async (signal, code) => {
    const folder = await temporaryFolder();
    const slow = createServer(({ url }, response) => {
      if (url?.endsWith("/content")) response.write("half");
      else response.end(JSON.stringify({ id: fileId, name: "a.bin", size: 9 }));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void slow.close());
    await once(slow, "listening");
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const args = [COMMAND, "save", fileId, folder, "--url", url, "--api-key", "key"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    const said = text(child.stderr);
    await until("the file is being written", async () => (await readdir(folder)).length > 0);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([code, null]);
    expect(await said).toBe("shoal: nothing was saved\n");
    expect(await readdir(folder)).toEqual([]);
  });

  it("says that the file is not there", async () => {
    const none = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
    expect(await on(node, "save", none)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("(404)"),
    });
  });
});

describe("shoal connect", () => {
  it("connects to a peer by its address, and says when it can't", async () => {
    const other = await shoals.start();
    const { node_id, addresses } = await other.client.nodeInfo();
    const connected = await on(node, "connect", String(addresses[0]));
    expect(connected).toMatchObject({ code: 0, stdout: `connected to ${node_id} by tcp\n` });
    expect((await node.client.peers()).peers.map(({ id }) => id)).toContain(node_id);
    const wrong = await on(node, "connect", "nonsense");
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("(400)") });
  });
});

describe("shoal send", () => {
  it("asks a peer, by its name or id, to download a file, which lists what it was asked", async () => {
    const { node_id } = await peer.client.nodeInfo();
    await until("the peer is called so", async () => (await on(node, "peers")).stdout.includes(PEER_NAME));
    expect(await on(node, "send", fileId, PEER_NAME)).toMatchObject({
      code: 0,
      stdout: `${PEER_NAME} was asked to download it\n`,
    });
    const listed = await on(peer, "invitations");
    expect(listed.stdout).toContain(`${fileId}  2.9 MiB`);
    expect(listed.stdout).toContain("minutes.txt");
    expect((await on(node, "send", fileId, node_id)).code).toBe(0);
    const asker = calledName({ id: (await node.client.nodeInfo()).node_id, name: null });
    expect(listed.stdout).toContain(asker);
    expect((await on(peer, "peers")).stdout).toContain(asker);
    const waiting = on(node, "send", fileId, PEER_NAME, "--wait");
    await peer.client.download({ file_id: fileId });
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/ has it\n$/) });
    expect((await on(node, "invitations", "--sent")).stdout).toMatch(/ Ada's shelf {2}has it +minutes.txt\n/);
    expect(await on(node, "send", fileId, "Bob")).toMatchObject({
      code: 1,
      stderr: "shoal: no peer is called Bob; shoal peers lists them\n",
    });
    const absent = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
    expect(await on(node, "send", absent, PEER_NAME)).toMatchObject({
      code: 1,
      stderr: "shoal: File not found (404)\n",
    });
  });
});

it("shoal send waits for the peer to have the file, whichever invitation it follows", async () => {
  const { node_id } = await peer.client.nodeInfo();
  await writeFile(join(node.folder, "shared/again.bin"), BYTES.subarray(1));
  const { file_id } = await node.client.share("again.bin");
  await until("the peer is met", async () =>
    (await peer.client.networkFiles()).files.some(({ id }) => id === file_id),
  );
  const waiting = on(node, "send", file_id.toUpperCase(), node_id, "--wait");
  await until("it is asked", async () =>
    (await node.client.sentInvitations()).invitations.some((sent) => sent.file_id === file_id),
  );
  await node.client.invite(node_id, file_id);
  await peer.client.download({ file_id });
  expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/ has it\n$/) });
});

it("shoal send takes an id for nothing else, whoever calls itself so", async () => {
  const id = "12D3KooWBYPhozq88rBjw3jZH6UWeddZK8fHBnWTQdDFmDCTiBWR";
  const asked: unknown[] = [];
  const answering = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    if (body !== "") asked.push(JSON.parse(body));
    const peers = [{ id: "12D3KooWJkSWrtndLwXqkgqTxqA6Hqzcz1K4g5CMj6WAWvje4RK1", name: id }];
    const answer = incoming.url === "/api/v1/node/peers" ? { peers, total: 1 } : { success: true };
    outgoing.end(JSON.stringify(answer));
  });
  await once(answering.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void answering.close());
  const url = `http://127.0.0.1:${(answering.address() as AddressInfo).port}`;
  await shoal(["send", fileId, id, "--url", url, "--api-key", "k"]);
  expect(asked).toEqual([{ peer_id: id, file_id: fileId }]);
});

it("a command that watches says so when its node stops, and what goes on with it", async () => {
  const answers: Record<string, object> = {
    "/api/v1/transfers/download": { transfer_id: "a", file_id: fileId, status: "started" },
    "/api/v1/node/peers": { peers: [{ id: "b", name: "Ada" }], total: 1 },
    "/api/v1/invitations": { success: true, message: "Asked", invitation_id: "c" },
  };
  const stopping = createServer((incoming, outgoing) => {
    const answer = answers[incoming.url ?? ""];
    if (answer !== undefined) return void outgoing.end(JSON.stringify(answer));
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write(": connected\n\n", () => outgoing.destroy());
  });
  await once(stopping.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void stopping.close());
  const url = `http://127.0.0.1:${(stopping.address() as AddressInfo).port}`;
  const watched = (...args: string[]) => shoal([...args, "--url", url, "--api-key", "k"]);
  const resume = `shoal: the node stopped; when it runs again: shoal resume ${fileId}\n`;
  expect(await watched("download", fileId)).toEqual({ code: 1, stdout: "", stderr: resume });
  expect(await watched("download", fileId, "--folder", "--json")).toMatchObject({ code: 1, stderr: resume });
  expect(await watched("send", fileId, "Ada", "--wait")).toMatchObject({
    code: 1,
    stderr: "shoal: the node stopped before the peer had it\n",
  });
});

describe("shoal similar", () => {
  it("says where search by meaning is off", async () => {
    const { code, stdout } = await on(node, "similar", fileId, "--scope", "local");
    expect({ code, lines: stdout.split("\n") }).toEqual({
      code: 0,
      lines: ["ID  SIZE  SCORE  WHY  NAME", expect.stringContaining("search by meaning is off"), ""],
    });
  });
});

describe("shoal webhooks", () => {
  it("adds one, tells its secret once, lists it and removes it", async () => {
    const url = "http://127.0.0.1:9/hook";
    const events = ["--event", "transfer_complete", "transfer_failed"];
    const added = await on(node, "add-webhook", url, ...events);
    const [, id = "", secret = ""] = /^webhook (\S+)\nsecret {2}(\S+)\n$/.exec(added.stdout) ?? [];
    expect(added.code).toBe(0);
    const listed = await on(node, "webhooks");
    expect(listed.stdout).toMatch(
      new RegExp(`^${id} +transfer_complete,transfer_failed +up to date +${url}$`, "m"),
    );
    expect(listed.stdout).not.toContain(secret);
    expect(await on(node, "remove-webhook", id)).toMatchObject({ code: 0 });
    expect(JSON.parse((await on(node, "webhooks", "--json")).stdout)).toEqual({ webhooks: [] });
    expect(await on(node, "remove-webhook", id)).toMatchObject({ code: 1 });
  });
});
