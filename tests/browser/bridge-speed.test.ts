/** What the way through the worker costs, beside a bare fetch from the static server in the same run. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { BridgeSite, openTab } from "./bridge-site.ts";

const MIB = 1024 * 1024;

let site: BridgeSite;

beforeAll(async () => {
  site = await BridgeSite.open("1");
});

afterAll(async () => {
  await site.close();
});

test("measured: a small GET, and 64 MiB down and up, beside a bare fetch", async () => {
  const page = await openTab(await site.newProfile(), site.origin);
  const figures = await page.evaluate(async (sizeBytes) => {
    async function medianMs(path: string): Promise<number> {
      const times: number[] = [];
      for (let round = 0; round < 200; round++) {
        const start = performance.now();
        await (await fetch(path)).arrayBuffer();
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[100] ?? 0;
    }
    async function rate(run: () => Promise<unknown>): Promise<number> {
      await run();
      const start = performance.now();
      await run();
      return sizeBytes / 1e3 / (performance.now() - start);
    }
    const drain = async (path: string) => {
      const reader = (await fetch(path)).body?.getReader();
      while ((await reader?.read())?.done === false);
    };
    const body = new Blob([new Uint8Array(sizeBytes)]);
    const up = async (path: string) => await (await fetch(path, { method: "POST", body })).text();
    return {
      "small GET, ms": await medianMs("/api/v1/status/200"),
      "small GET bare, ms": await medianMs("/bare/0"),
      "down, MB/s": await rate(() => drain(`/api/v1/bytes/${sizeBytes}`)),
      "down bare, MB/s": await rate(() => drain(`/bare/${sizeBytes}`)),
      "up, MB/s": await rate(() => up("/api/v1/hash")),
      "up bare, MB/s": await rate(() => up("/bare/0")),
    };
  }, 64 * MIB);
  for (const [name, value] of Object.entries(figures)) {
    process.stdout.write(`bridge: ${name} ${value.toFixed(1)}\n`);
    expect(value).toBeGreaterThan(0);
  }
});
