/**
 * Settings of the page's node: kept in records, with defaults from the host that served the page. Opened by start-node;
 * read and changed by the API. What CHANGEABLE calls `now` counts at once, the rest at the next start.
 */
import type { HostSettingName, HostSettings, SettingsStore, TakesEffect } from "../../api/ports.ts";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import type { Records } from "../../sharing/ports.ts";
import { DEFAULT_MAX_STORAGE_BYTES } from "../limits.ts";

const KEY = "page";

const CHANGEABLE: Record<HostSettingName, TakesEffect> = {
  name: "now",
  swarm: "next_start",
  bootstrap: "next_start",
  ice_servers: "next_start",
  max_storage: "now",
  max_upload: "now",
  max_download: "now",
  auto_resume: "next_start",
  search: "next_start",
  excerpts: "next_start",
  invitations: "now",
  search_model: "next_start",
};

export interface PageSettings extends SettingsStore {
  /** Called after each change with the settings as they then are. */
  onChange(listener: (settings: HostSettings) => void): void;
}

/** `swarm`, `hasSearch`: of the host that served the page. */
export async function openPageSettings(
  records: Records,
  { swarm, hasSearch = true }: { swarm: string; hasSearch?: boolean | undefined },
): Promise<PageSettings> {
  const defaults: HostSettings = {
    name: null,
    swarm,
    bootstrap: [],
    ice_servers: [],
    max_storage: DEFAULT_MAX_STORAGE_BYTES,
    max_upload: null,
    max_download: null,
    auto_resume: true,
    search: hasSearch,
    excerpts: true,
    invitations: true,
    search_model: null,
  };
  let chosen = (await records.get<Partial<HostSettings>>("settings", KEY)) ?? {};
  const atStart = { ...defaults, ...chosen };
  const listeners: ((settings: HostSettings) => void)[] = [];
  /** One change after another: each is put with those before it. */
  const queue = new KeyedQueue(1);
  const read = () => ({ ...defaults, ...chosen });

  return {
    changeable: CHANGEABLE,
    read,
    pending() {
      const now = read();
      const names = Object.keys(CHANGEABLE) as HostSettingName[];
      return names.filter((name) => CHANGEABLE[name] === "next_start" && !isSame(now[name], atStart[name]));
    },
    change: (changes) =>
      queue.run(KEY, async () => {
        const changed = { ...chosen, ...changes };
        await records.put("settings", KEY, changed);
        chosen = changed;
        for (const listener of listeners) listener(read());
      }),
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Settings are plain JSON values. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
