/** A file of which nobody is told, shared and downloaded by command, between built nodes. */
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { on } from "./shoal-command.ts";
import { type ShoalProcess, Shoals } from "./shoal-process.ts";
import { until } from "./until.ts";

const shoals = new Shoals();
let seeder: ShoalProcess;
let leecher: ShoalProcess;
beforeAll(async () => {
  seeder = await shoals.start();
  leecher = await shoals.start({ bootstrap: [seeder] });
  await until("they are connected", async () => (await seeder.client.peers()).total === 1);
});
afterAll(() => shoals[Symbol.asyncDispose]());
afterEach(async () => {
  const nodes = [seeder, leecher];
  for (const { client } of nodes)
    for (const { id } of (await client.files()).files) await client.deleteFile(id);
  for (const node of nodes)
    await until("nothing is offered", async () => (await offeredTo(node)).length === 0);
});

/** Ids of what others tell a node that they have. */
async function offeredTo({ client }: ShoalProcess): Promise<string[]> {
  return (await client.networkFiles()).files.map(({ id }) => id);
}

it("an unlisted file comes to who has its id, and is offered nowhere until it is listed", async () => {
  await writeFile(join(seeder.folder, "shared/secret.bin"), new Uint8Array(2_500_000).fill(7));
  await writeFile(join(seeder.folder, "shared/known.bin"), new Uint8Array(70_000).fill(8));
  const share = async (name: string, ...flags: string[]) => {
    const path = join(seeder.folder, "shared", name);
    return JSON.parse((await on(seeder, "share", path, ...flags, "--json")).stdout).file_id as string;
  };
  const secret = await share("secret.bin", "--unlisted");
  const known = await share("known.bin");

  const offered = () => offeredTo(leecher);
  await expect.poll(offered).toEqual([known]);
  expect(await on(leecher, "download", secret, "secret.bin")).toMatchObject({ code: 0 });
  const brought = await readFile(join(await realpath(leecher.folder), "downloads/secret.bin"));
  expect(brought.equals(await readFile(join(seeder.folder, "shared/secret.bin")))).toBe(true);
  expect((await on(leecher, "files")).stdout).toMatch(/LISTED.*\n.*yes\s+no\s/);
  expect(await offered()).toEqual([known]);
  expect(await offeredTo(seeder)).toEqual([]);

  expect(await on(seeder, "relist", secret)).toMatchObject({ code: 0, stdout: "secret.bin is listed\n" });
  await expect.poll(offered).toContain(secret);
  expect(await on(seeder, "unlist", secret)).toMatchObject({ code: 0, stdout: "secret.bin is unlisted\n" });
  await expect.poll(offered).toEqual([known]);
});

it("who sends one to a peer learns when it has it", async () => {
  await writeFile(join(seeder.folder, "shared/secret.bin"), new Uint8Array(70_000).fill(7));
  const { file_id } = await seeder.client.share("secret.bin", { unlisted: true });
  const { node_id } = await leecher.client.nodeInfo();
  const sent = on(seeder, "send", file_id, node_id, "--wait");
  await expect.poll(async () => (await leecher.client.invitations()).total).toBe(1);
  await leecher.client.download({ file_id });
  expect(await sent).toMatchObject({ code: 0 });
});

it("an unlisted folder comes whole, and its files are as unlisted as it is", async () => {
  await mkdir(join(seeder.folder, "shared/trip/day 1"), { recursive: true });
  for (const [at, name] of ["notes.txt", "day 1/sea.bin", "day 1/sand.bin"].entries())
    await writeFile(join(seeder.folder, "shared/trip", name), new Uint8Array(1_000 + at).fill(at));
  const { stdout } = await on(seeder, "share", join(seeder.folder, "shared/trip"), "--unlisted", "--json");
  const { file_id } = JSON.parse(stdout);
  const got = await on(leecher, "download", file_id, "Trip", "--folder", "--unlisted");
  expect(got).toMatchObject({ code: 0, stdout: "3 files are here: Trip\n" });
  for (const node of [seeder, leecher]) {
    const { files } = await node.client.files();
    expect(files).toHaveLength(4);
    expect(files.filter(({ unlisted }) => !unlisted)).toEqual([]);
    expect(await offeredTo(node)).toEqual([]);
  }
});
