/** What the page's chunks bear when the browser itself is killed, or loses files of its profile. */
import { readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStorageBrowser, serveStorageSite } from "./storage-browser.ts";

const CHUNK_BYTES = 1024 * 1024;

it("every acknowledged chunk is there, whole, after kill -9 of the browser amid writes", async () => {
  const site = await serveStorageSite();
  const killed = await openStorageBrowser(site);
  const writing = killed.page.evaluate(() => window.storagePage.write());
  // Its page goes in the middle of it.
  writing.catch(() => {});
  await killed.atLeast(20);
  await killed.kill();
  const told = [...killed.acknowledged];

  const { page, close } = await openStorageBrowser(site);
  const { usedBytes, heldBytes, held, lost } = await page.evaluate(() => window.storagePage.check());
  expect(held).toEqual(expect.arrayContaining(told));
  expect(lost).toEqual([]);
  expect(usedBytes).toBe(heldBytes);
  await close();
});

it("chunks whose files went, or were cut short, in the browser's profile are missing, and the others are there", async () => {
  const site = await serveStorageSite();
  const before = await openStorageBrowser(site);
  await before.page.evaluate(() => window.storagePage.write(4));
  await before.close();
  const [gone, short, ...whole] = await chunkFiles(site.profile);
  if (gone === undefined || short === undefined) throw new Error("chunks have no files of their own");
  expect(whole).toHaveLength(2);
  await rm(gone);
  await truncate(short, 1000);

  const { page, close } = await openStorageBrowser(site);
  const { held, lost } = await page.evaluate(() => window.storagePage.check());
  expect(held).toHaveLength(2);
  expect([...held, ...lost].sort()).toEqual(before.acknowledged.toSorted());
  for (const cid of lost) {
    expect(await page.evaluate((lostCid) => window.storagePage.has(lostCid), cid)).toBe(false);
  }
  await close();
});

async function chunkFiles(profile: string): Promise<string[]> {
  const root = join(profile, "Default/IndexedDB");
  const files: string[] = [];
  for (const name of await readdir(root, { recursive: true })) {
    const found = await stat(join(root, name));
    if (found.isFile() && found.size === CHUNK_BYTES) files.push(join(root, name));
  }
  return files;
}
