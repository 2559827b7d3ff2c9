/** The index of built processes: found again after a crash, after a restore, and alone by `shoal vx`. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { Client } from "../../src/client/vx-client.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { on, shoal } from "./shoal-command.ts";
import { COMMAND, type ShoalProcess, Shoals } from "./shoal-process.ts";

const DIMENSION = 16;

/** Vectors that differ, each nearest to itself. */
function vectorOf(id: number): number[] {
  return Array.from(
    { length: DIMENSION },
    (_, at) => Math.sin(id * (at + 1)) + (at === id % DIMENSION ? 2 : 0),
  );
}

function recordsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const id = first + at;
    return { id, vector: vectorOf(id), metadata: { parity: id % 2 === 0 ? "even" : "odd", n: id } };
  });
}

const ids = (results: { id: number }[]) => results.map(({ id }) => id);
const clientOf = (node: ShoalProcess) => new Client(node.url, { apiKey: node.apiKey });
const vxFlags = ["--vx-dimension", String(DIMENSION)];

describe("the index of a node", () => {
  it("is there with every acknowledged vector after kill -9, and a batch that it cut off whole or not at all", async () => {
    await using shoals = new Shoals();
    const node = await shoals.start({ flags: vxFlags });
    const client = clientOf(node);
    await client.batchAdd(recordsFrom(0, 500));
    await client.add(1000, vectorOf(1000), { parity: "even", n: 1000 });
    await client.delete(3);
    expect(ids(await client.search(vectorOf(7), 1))).toEqual([7]);
    expect(ids(await client.hybridSearch(vectorOf(7), 1, "parity = 'even'"))).not.toContain(7);
    const before = await client.search(vectorOf(7), 20);
    await node.kill();

    // The stored dimension counts where no flag names one.
    const second = await shoals.start({ folder: node.folder });
    const again = clientOf(second);
    expect((await again.metrics()).vector_count).toBe(500);
    expect(await again.search(vectorOf(7), 20)).toEqual(before);
    expect(await again.get(3)).toBeUndefined();
    expect(await again.get(1000)).toMatchObject({ metadata: { parity: "even", n: 1000 } });
    expect(await again.queryMetadata("SELECT count(*) AS n FROM metadata WHERE parity = 'odd'")).toEqual([
      { n: 249 },
    ]);

    const batch = again.batchAdd(recordsFrom(2000, 20_000)).catch((error: unknown) => error);
    await second.client.health();
    await second.kill();
    await batch;
    const { vector_count } = await clientOf(await shoals.start({ folder: node.folder })).metrics();
    expect([500, 20_500]).toContain(vector_count);
  });

  it("has every acknowledged vector after kill -9 in the middle of a fit, and reduces them after the next start", async () => {
    await using shoals = new Shoals();
    const reducing = [
      "--vx-enable-dim-reduction",
      "--vx-dim-reduction-target",
      "6",
      "--vx-fit-after",
      "1000",
    ];
    const node = await shoals.start({ flags: [...vxFlags, ...reducing] });
    const client = clientOf(node);
    await client.batchAdd(recordsFrom(0, 1000));
    // The fit has begun with the last of them, and takes a while.
    await client.batchAdd(recordsFrom(1000, 20));
    await client.delete(3);
    await node.kill();

    const second = await shoals.start({ folder: node.folder });
    const reduced = async (of: Client) => (await of.metrics()).reduced_dimension;
    await expect.poll(() => reduced(clientOf(second))).toBe(6);
    const [before] = await clientOf(second).reduceVectors([vectorOf(7)]);
    const refit = clientOf(second)
      .refit()
      .catch((error: unknown) => error);
    await clientOf(second).batchAdd(recordsFrom(1020, 20));
    await second.kill();
    await refit;

    const third = clientOf(await shoals.start({ folder: node.folder }));
    expect(await third.metrics()).toMatchObject({ vector_count: 1039, reduced_dimension: 6 });
    expect(await third.get(3)).toBeUndefined();
    expect((await third.get(1030))?.vector).toEqual(vectorOf(1030).map(Math.fround));
    expect(ids(await third.search(vectorOf(1030), 1))).toEqual([1030]);
    expect((await third.reduceVectors([vectorOf(7)]))[0]?.length).toBe(before?.length);
  });

  it("stops cleanly in the middle of a long batch, which the next start has whole", async () => {
    await using shoals = new Shoals();
    const node = await shoals.start({ flags: vxFlags });
    const client = clientOf(node);
    let isAnswered = false;
    const batch = client
      .batchAdd(recordsFrom(0, 10_000))
      .catch((error: unknown) => error)
      .finally(() => {
        isAnswered = true;
      });
    await expect.poll(async () => (await client.metrics()).journal_bytes).toBeGreaterThan(0);
    expect(isAnswered).toBe(false);
    expect(await node.stop()).toBe(0);
    await batch;
    const again = clientOf(await shoals.start({ folder: node.folder }));
    expect((await again.metrics()).vector_count).toBe(10_000);
  });

  it("comes back from a backup, also in another process", async () => {
    await using shoals = new Shoals();
    const [one, other] = [await shoals.start({ flags: vxFlags }), await shoals.start({ flags: vxFlags })];
    const client = clientOf(one);
    await client.batchAdd(recordsFrom(0, 300));
    const full = await client.backup("full.zip");
    expect(full.path).toBe(join(one.folder, "data/index/backups/full.zip"));
    await client.batchAdd(recordsFrom(300, 50));
    const incremental = await client.backup("more.zip", true);
    expect(incremental).toMatchObject({ incremental: true });
    await client.delete(5);

    expect((await client.restore(full.path)).vector_count).toBe(300);
    expect((await client.restore(incremental.path)).vector_count).toBe(350);
    expect(ids(await client.search(vectorOf(5), 1))).toEqual([5]);
    await one.kill();
    expect((await clientOf(await shoals.start({ folder: one.folder })).metrics()).vector_count).toBe(350);

    const archive = new Uint8Array(await readFile(full.path));
    await clientOf(other).uploadBackup("carried.zip", archive);
    expect((await clientOf(other).restore("carried.zip")).vector_count).toBe(300);
    const sent = await (await clientOf(other).downloadBackup("carried.zip")).arrayBuffer();
    expect(Buffer.from(sent).equals(archive)).toBe(true);
  });

  it("is refused to a start that asks for another dimension, or has another key", async () => {
    await using shoals = new Shoals();
    const flags = [...vxFlags, "--vx-encryption-enabled", "--vx-encryption-key", "k".repeat(32)];
    const node = await shoals.start({ flags });
    await clientOf(node).add(1, vectorOf(1), { word: "unencryptedword" });
    await node.stop();
    const start = (...given: string[]) => shoals.start({ folder: node.folder, flags: given });
    await expect(start("--vx-encryption-enabled", "--vx-encryption-key", "j".repeat(32))).rejects.toThrow(
      "key",
    );
    await expect(start(...flags.slice(2), "--vx-dimension", "17")).rejects.toThrow("expected 16, got 17");
    const { stdout } = await promisify(execFile)("grep", [
      "-rlE",
      "unencryptedword|k{32}",
      node.folder,
    ]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
    expect(await clientOf(await start(...flags)).get(1)).toMatchObject({
      metadata: { word: "unencryptedword" },
    });
  });
});

describe("shoal vx", () => {
  it("runs the index alone, and stops cleanly", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "data"));
    const args = [
      "vx",
      "--api-port",
      "0",
      "--data-dir",
      join(folder, "data"),
      ...vxFlags,
      "--vx-distance",
      "l2",
    ];
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("data")) break;
    const { url, key } = JSON.parse(await readFile(join(folder, "data/running.json"), "utf8"));
    const client = new Client(url, { apiKey: key });
    await client.batchAdd(recordsFrom(0, 10));
    const [nearest] = await client.search(vectorOf(3), 1);
    expect(nearest).toMatchObject({ id: 3, distance: 0 });
    const info = await fetch(`${url}/api/v1/node/info`, { headers: { authorization: `Bearer ${key}` } });
    expect(info.status).toBe(404);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  it("leaves a node that runs on the same data folder to be found by the commands", async () => {
    await using shoals = new Shoals();
    const node = await shoals.start({ flags: vxFlags });
    // Its index is made by the first request.
    const second = await shoal(["vx", "--api-port", "0", "--data-dir", join(node.folder, "data")]);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("is in use") });
    const found = await on(node, "status", "--json");
    expect(JSON.parse(found.stdout).node).toMatchObject({ node_id: (await node.client.nodeInfo()).node_id });
  });
});
