/**
 * A page that keeps something in the browser's storage, in a Chromium of its own, whose profile outlives it. Used by
 * storage-kill.test.ts and vx-kill.test.ts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Page } from "playwright";
import { build } from "vite";
import { onTestFinished } from "vitest";
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
  const flags = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const process = spawn(CHROMIUM.executablePath, [...CHROMIUM.args, ...flags], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = () => killGroup(process);
  onTestFinished(kill);
  const browser = await chromium.connectOverCDP(await debuggerUrl(process));
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
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
    async close() {
      const session = await browser.newBrowserCDPSession();
      const exit = once(process, "exit");
      await Promise.all([exit, session.send("Browser.close")]);
    },
  };
}

async function debuggerUrl({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error("the browser has no stderr");
  for await (const line of createInterface(stderr)) {
    const found = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error("the browser did not start");
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await exit;
}
