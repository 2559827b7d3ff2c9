/**
 * A page that keeps something in the browser's storage, in a Chromium of its own, whose profile outlives it. Used by
 * storage-kill.test.ts and vx-kill.test.ts.
 */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { chromium, type Page } from "playwright";
import { build } from "vite";
import { onTestFinished } from "vitest";
import { childrenOf, isThere } from "../interop/child-processes.ts";
import { until } from "../interop/until.ts";
import { builtPage } from "./built-pages.ts";
import { CHROMIUM } from "./chromium.ts";

export interface StorageSite {
  url: string;
  /** Folder of the browser's profile. */
  profile: string;
}

/** Serves the page of that folder, on one origin until the test has ended. */
export async function serveStorageSite(pageFolder = "storage-page"): Promise<StorageSite> {
  const folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const built = await builtPage(pageFolder, (outDir) =>
    build({
      configFile: false,
      root: join(import.meta.dirname, pageFolder),
      logLevel: "error",
      worker: { format: "es" },
      build: { outDir, emptyOutDir: true, target: "esnext" },
    }),
  );
  const server = createServer(async (request, response) => {
    const path = request.url === "/" ? "/index.html" : (request.url ?? "");
    const body = await readFile(join(built, path)).catch(() => undefined);
    const type = extname(path) === ".js" ? "text/javascript" : "text/html";
    response.writeHead(body ? 200 : 404, { "content-type": type }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, profile: join(folder, "profile") };
}

export interface StorageBrowser {
  page: Page;
  /** What the page said is stored. */
  acknowledged: string[];
  /** Settles when so many are. */
  atLeast(count: number): Promise<void>;
  /** As `kill -9` of all its processes. */
  kill(): Promise<void>;
  /** Lets it end by itself. */
  close(): Promise<void>;
}

export async function openStorageBrowser({ url, profile }: StorageSite): Promise<StorageBrowser> {
  const context = await chromium.launchPersistentContext(profile, CHROMIUM);
  const processId = await processOf(profile);
  const kill = async () => {
    if (!isThere(processId)) return;
    // All of its processes: they are one group.
    process.kill(-processId, "SIGKILL");
    await until("the browser is gone", () => !isThere(processId));
  };
  onTestFinished(kill);
  const page = await context.newPage();
  // The test's own limit is the only one: a busy machine is no failure.
  page.setDefaultTimeout(0);

  const acknowledged: string[] = [];
  let check = () => {};
  await page.exposeFunction("acknowledged", (cid: string) => {
    acknowledged.push(cid);
    check();
  });
  await page.goto(url);
  await page.waitForFunction(() => window.storagePage !== undefined);
  return {
    page,
    acknowledged,
    kill,
    atLeast: (count) =>
      new Promise((resolve) => {
        check = () => acknowledged.length >= count && resolve();
        check();
      }),
    close: () => context.close(),
  };
}

/** The browser's process, which playwright does not tell. */
async function processOf(profile: string): Promise<number> {
  for (const id of await childrenOf(process.pid)) {
    // Another child may end at this moment.
    const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    if (command.includes(profile)) return id;
  }
  throw new Error("the browser did not start");
}
