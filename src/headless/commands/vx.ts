/**
 * `shoal vx`: runs the vector index alone, behind its API, until it is told to stop. Calls main-vx, and for an index that
 * belongs to one other process main-vx-child.
 */
import type { Command } from "commander";
import { SETTING_NAMES, type SettingName } from "../settings/settings.ts";
import { refuseIdleSchedule } from "./idle-settings.ts";
import { apiLines, serviceCommand } from "./service.ts";
import { refuseUnusableIndex } from "./unusable-settings.ts";

/** Beside the index's own: where its API is, who may call it, and where it keeps things. */
const SHARED_SETTINGS = new Set<SettingName>([
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
  const command = serviceCommand("vx", "run the vector index alone, with its API", {
    settingNames: SETTING_NAMES.filter((name) => name.startsWith("vx-") || SHARED_SETTINGS.has(name)),
    async start(settings, context) {
      if (command.opts().child === true) {
        const { startChildIndex } = await import("../main-vx-child.ts");
        const { apiUrl, folder, stop } = await startChildIndex(settings, context);
        const lines = async () => [JSON.stringify({ url: apiUrl, folder })];
        return { lines, ready: Promise.resolve(), stop };
      }
      refuseIdleSchedule(settings);
      refuseUnusableIndex(settings);
      const { startIndex } = await import("../main-vx.ts");
      const { apiUrl, firstKey, dataFolder, ready, stop } = await startIndex(settings, context);
      const lines = async () => [...apiLines(apiUrl, await firstKey()), `data     ${dataFolder}`];
      return { lines, ready, stop };
    },
  });
  return command.option(
    "--child",
    "serve the parent process alone: a free loopback port, the key on stdin, whose end ends this process",
  );
}
