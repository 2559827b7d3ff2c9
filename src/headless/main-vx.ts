/**
 * The main of the index alone: the vector index behind the REST API, without node and network. Called by the command
 * `shoal vx`. Requests are served while the index is loading. What was opened is closed in reverse, also when a later part
 * fails to open.
 */
import { Closers } from "../sharing/closers.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { openDataFolder } from "./data-folder.ts";
import { type FirstKey, makeFirstKey, needsFirstKey } from "./first-key.ts";
import { openIndex } from "./index/open-index.ts";
import type { Logger } from "./log.ts";
import { openApi } from "./open-api.ts";
import type { Settings } from "./settings/settings.ts";
import { startFailure } from "./start-failure.ts";

export interface StartedIndex {
  dataFolder: string;
  apiUrl: string;
  /** Makes the key that a newcomer needs, for whoever tells it; undefined where there is one already. */
  firstKey(): Promise<FirstKey | undefined>;
  /** Settles when the index is loaded. @throws VxError as Vx.ready says */
  ready: Promise<void>;
  stop(): Promise<void>;
}

/** `isTerminal`: whether what the start prints is seen by a person. @throws CommandError `start_failed`, `usage` */
export async function startIndex(
  settings: Settings,
  { log, isTerminal }: { log: Logger; isTerminal: boolean },
): Promise<StartedIndex> {
  const closers = new Closers((error) => log.error({ error }, "a part did not stop cleanly"));
  try {
    const folder = await openDataFolder(settings["data-dir"]);
    const vx = await openIndex(settings, { folder, log, closers, makeNow: true });
    const isKeyless = await needsFirstKey(folder, settings["api-host"]);
    const server = await openApi(settings, { folder, log, closers, vx });
    return {
      dataFolder: folder.path,
      apiUrl: server.url,
      firstKey: async () =>
        isKeyless ? await makeFirstKey(folder, { isTerminal, now: new Date(clock.now()) }) : undefined,
      ready: vx.ready,
      stop: () => closers.closeAll(),
    };
  } catch (error) {
    await closers.closeAll();
    throw startFailure(error);
  }
}
