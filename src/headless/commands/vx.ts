/** `shoal vx`: runs the vector index alone, behind its API, until it is told to stop. Calls main-vx. */
import type { Command } from "commander";
import { SETTING_NAMES } from "../settings/settings.ts";
import { apiLines, serviceCommand } from "./service.ts";

/** Beside the index's own: where its API is, who may call it, and where it keeps things. */
const SHARED_SETTINGS = new Set([
  "api-port",
  "api-host",
  "data-dir",
  "cors-origin",
  "host-name",
  "trust-proxy",
  "max-body",
  "rate-limit",
  "log-level",
]);

export function vxCommand(): Command {
  return serviceCommand("vx", "run the vector index alone, with its API", {
    settingNames: SETTING_NAMES.filter((name) => name.startsWith("vx-") || SHARED_SETTINGS.has(name)),
    async start(settings, context) {
      const { startIndex } = await import("../main-vx.ts");
      const { apiUrl, firstKey, dataFolder, stop } = await startIndex(settings, context);
      return { lines: [...apiLines(apiUrl, firstKey), `data     ${dataFolder}`], stop };
    },
  });
}
