/**
 * The settings of a running node as the API shows and changes them. Opened by main. What is changed here lasts until the
 * node stops: flags, environment and file say what the next start begins with.
 */
import type { HostSettings, SettingsStore } from "../api/ports.ts";
import type { RunningExchange } from "../exchange/exchange.ts";
import type { BlockStore, Swarm } from "../sharing/ports.ts";
import type { Settings } from "./settings/settings.ts";

export interface LiveParts {
  swarm: Pick<Swarm, "rename" | "takeInvitations">;
  exchange: Pick<RunningExchange, "setRates">;
  blocks: Pick<BlockStore, "maxBytes">;
}

export function createLiveSettings(
  settings: Settings,
  { swarm, exchange, blocks }: LiveParts,
): SettingsStore {
  const values: HostSettings = {
    name: settings.name ?? null,
    swarm: settings.swarm,
    bootstrap: settings.bootstrap,
    ice_servers: settings["ice-server"],
    max_storage: settings["max-storage"],
    max_upload: settings["max-upload"] ?? null,
    max_download: settings["max-download"] ?? null,
    auto_resume: settings["auto-resume"],
    search: settings.search,
    excerpts: settings.excerpts,
    invitations: settings.invitations,
    search_model: settings["search-model"] ?? null,
  };
  return {
    changeable: {
      name: "now",
      invitations: "now",
      max_storage: "now",
      max_upload: "now",
      max_download: "now",
    },
    read: () => ({ ...values }),
    pending: () => [],
    async change(changes) {
      Object.assign(values, changes);
      swarm.rename(values.name ?? "");
      swarm.takeInvitations(values.invitations);
      blocks.maxBytes = values.max_storage;
      exchange.setRates({
        maxUploadBytesPerSecond: values.max_upload ?? undefined,
        maxDownloadBytesPerSecond: values.max_download ?? undefined,
      });
    },
  };
}
