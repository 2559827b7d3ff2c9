/** Attack 25 in a page: the browser itself is killed amid writes to the index, and what it was told is stored is there. */
import { expect, test } from "vitest";
import { Outcomes } from "../interop/index-outcomes.ts";
import { openStorageBrowser, type StorageBrowser, serveStorageSite } from "./storage-browser.ts";
import type { KillPage } from "./vx-kill-page/main.ts";

const KILLS = 4;
const MAX_LINES_BEFORE_KILL = 60;

type Host = { storagePage: KillPage };

async function read({ page }: StorageBrowser) {
  const records = await page.evaluate(() => (globalThis as unknown as Host).storagePage.read());
  return new Map(records.map(({ id, vector, metadata }) => [BigInt(id), { vector, metadata }]));
}

test(`a browser killed ${KILLS} times amid writes to the index loses nothing that it acknowledged`, {
  timeout: 240_000,
}, async () => {
  const site = await serveStorageSite("vx-kill-page");
  const outcomes = new Outcomes();
  const seen = new Set<string>();
  let stored = 0;
  for (let kill = 0; ; kill++) {
    const browser = await openStorageBrowser(site);
    const content = await read(browser);
    outcomes.check({ content: () => content });
    if (kill === KILLS) {
      await browser.close();
      break;
    }
    const lastFound = Math.max(outcomes.last, ...Array.from(content.keys(), (id) => Number(id) / 16));
    const first = (Math.floor(lastFound / 4) + 25) * 4;
    const writing = browser.page.evaluate(
      (batch) => (globalThis as unknown as Host).storagePage.write(batch),
      first,
    );
    const enough = browser.atLeast(1 + Math.floor(Math.random() * MAX_LINES_BEFORE_KILL));
    // It goes on until its page goes, or fails.
    await Promise.race([enough, writing]);
    writing.catch(() => {});
    await browser.kill();
    for (const line of browser.acknowledged) {
      const [what = "", number] = line.split(" ");
      seen.add(what);
      if (what === "stored" || what === "refused") outcomes.tell(what, Number(number));
      if (what === "stored") stored++;
    }
  }
  expect(stored).toBeGreaterThan(KILLS);
  expect([...seen]).toEqual(expect.arrayContaining(["opened", "stored"]));
  expect([...seen]).not.toContain("failed");
});
