/**
 * The main of an index that belongs to one other process: the API on a free loopback port, for one key, with no folder of
 * its own but a temporary one. Called by the command `shoal vx --child`, which the Python class `vx.Vx` runs.
 *
 *   stdin    the first line is the API key (not a flag, which other users of the machine can read); its end, which
 *            comes however the parent ends, ends the index
 *   stdout   one line of JSON: {"url", "folder"} once requests are served, else {"error": {"code", "message"}}
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createApp } from "../api/app.ts";
import { Closers } from "../sharing/closers.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { VxError } from "../vx/errors.ts";
import { openApiKeys } from "./api-keys.ts";
import { CommandError } from "./command-error.ts";
import { dataFolderAt } from "./data-folder.ts";
import { openHttpServer } from "./http/server.ts";
import { openIndex } from "./index/open-index.ts";
import { type Logger, toLogPort } from "./log.ts";
import { programVersion, readDocsAsset } from "./program.ts";
import type { Settings } from "./settings/settings.ts";
import { startFailure } from "./start-failure.ts";

export interface ChildIndex {
  apiUrl: string;
  /** Holds backups of an index in memory; removed by `stop`, and by the parent after a crash. */
  folder: string;
  stop(): Promise<void>;
}

/** @throws CommandError `usage`, `start_failed`, `interrupted` where the parent ends first */
export async function startChildIndex(settings: Settings, { log }: { log: Logger }): Promise<ChildIndex> {
  const closers = new Closers((error) => log.error({ error }, "a part did not stop cleanly"));
  const parent = attendParent();
  const parentEnd = parent.ended.then((): never => {
    throw new CommandError("interrupted", "the parent process ended");
  });
  try {
    const key = await Promise.race([parent.key, parentEnd]);
    const started = await Promise.race([openChild(settings, { key, log, closers }), parentEnd]);
    parentEnd.catch(() => process.emit("SIGTERM", "SIGTERM"));
    return { ...started, stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    const code = error instanceof VxError ? error.code : "unavailable";
    const message = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
    throw startFailure(error);
  }
}

async function openChild(
  settings: Settings,
  { key, log, closers }: { key: string; log: Logger; closers: Closers },
): Promise<{ apiUrl: string; folder: string }> {
  const path = await closers.keep(mkdtemp(join(tmpdir(), "shoal-vx-")), (it) => rm(it, { recursive: true }));
  const folder = dataFolderAt(path);
  const vx = await openIndex(settings, { folder, log, closers, makeNow: true, isOwnClient: true });
  await vx.ready;
  const app = createApp({
    vx,
    clock,
    version: programVersion(),
    keys: openApiKeys(folder.apiKeysFolder, key),
    access: { hostNames: [], corsOrigins: [] },
    limits: { requestsPerMinute: 0, vxRequestsPerMinute: 0, maxBodyBytes: settings["max-body"] },
    log: toLogPort(log, "api"),
    docsAssets: readDocsAsset,
  });
  const server = await closers.keep(
    openHttpServer({ app, host: "127.0.0.1", port: 0, trustedProxies: [], log }),
    (it) => it.stop(),
  );
  return { apiUrl: server.url, folder: path };
}

/** What stdin says of the parent. `ended` comes also where it never gave a key. */
function attendParent(): { key: Promise<string>; ended: Promise<void> } {
  const lines = createInterface({ input: process.stdin });
  const key = new Promise<string>((resolve) => lines.once("line", resolve));
  const ended = new Promise<void>((resolve) => lines.once("close", resolve));
  return { key, ended };
}
