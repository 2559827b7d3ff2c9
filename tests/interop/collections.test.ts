/** A node that has collected its garbage once does not do so again for every few megabytes that pass through it. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ShoalProcess, Shoals, transferEnd } from "./shoal-process.ts";
import { until } from "./until.ts";

const MIB = 1024 * 1024;
const FILE_MIB = 192;

const nodeFlags = ["--require", join(import.meta.dirname, "collections.preload.cjs")];

/** How often they have collected all garbage by themselves, before they are made to. */
async function collect(nodes: ShoalProcess[]): Promise<number> {
  const counts = nodes.map(async ({ child, log }) => {
    const told = () => log.filter((line) => line.startsWith("collected all"));
    const earlier = told().length;
    child.kill("SIGUSR2");
    await until("garbage is collected", () => told().length > earlier);
    return Number(/(\d+) times/.exec(told().at(-1) ?? "")?.[1]);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count);
}

it("garbage is collected seldom while a file passes, also after it was once", async () => {
  await using shoals = new Shoals();
  const seeder = await shoals.start({ nodeFlags });
  const { file_id } = await seeder.client.upload(randomBytes(FILE_MIB * MIB), { name: "file.bin" });
  const leecher = await shoals.start({ nodeFlags, bootstrap: [seeder] });
  const nodes = [seeder, leecher];
  await collect(nodes);
  // What the first left is older now.
  const before = await collect(nodes);
  const { transfer_id } = await leecher.client.download({ file_id, output_path: "file.bin" });
  expect(await transferEnd(leecher, transfer_id)).toMatchObject({ status: "completed" });
  expect((await collect(nodes)) - before).toBeLessThan(FILE_MIB / 32);
});
