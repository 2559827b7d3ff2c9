/** `shoal start`, also without its name: runs a node until it is told to stop. Calls main. */
import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import { CommandError } from "../command-error.ts";
import { hasCode } from "../disk-errors.ts";
import type { StartedNode } from "../main.ts";
import {
  SETTING_NAMES,
  type SettingName,
  type Settings,
  SWITCHED_OFF,
  settingsSchema,
} from "../settings/settings.ts";
import { apiLines, serviceCommand } from "./service.ts";

export function startCommand(): Command {
  const command = serviceCommand("start", "run a node (the default command)", {
    settingNames: SETTING_NAMES,
    async start(settings, context) {
      refuseIdle(settings);
      await requireModelFolder(settings);
      // Loaded here alone, so that the other commands don't wait for libp2p.
      const { startNode } = await import("../main.ts");
      const node = await startNode(settings, context);
      return { lines: linesOf(node), ready: node.ready, stop: node.stop };
    },
  });
  for (const name of SWITCHED_OFF) command.addOption(new Option(`--${name}`, "the default").hideHelp());
  return command;
}

/** What would do nothing, though whoever gave it takes it to be at work. @throws CommandError `usage` */
function refuseIdle(settings: Settings): void {
  const { "web-port": port, "tls-cert": cert, "tls-key": key } = settings;
  if (port === undefined && (cert !== undefined || key !== undefined)) {
    const complaint = "--tls-cert and --tls-key are for the page alone: give --web-port with them";
    throw new CommandError("usage", complaint);
  }
  if (settings.gateway && !settings["enable-api"]) {
    throw new CommandError("usage", "--gateway is served on the API's port: give --enable-api with it");
  }
  const ofIndex = settings["enable-api"]
    ? undefined
    : SETTING_NAMES.find((name) => isOfIndex(settings, name));
  if (ofIndex !== undefined) {
    const complaint = `--${ofIndex} is for the vector index, which is served with the API: give --enable-api with it`;
    throw new CommandError("usage", complaint);
  }
}

/** Whether a setting of the index is given. A key alone asks for nothing, and may be kept in the environment. */
function isOfIndex(settings: Settings, name: SettingName): boolean {
  if (!name.startsWith("vx-") || name === "vx-encryption-key") return false;
  return settings[name] !== settingsSchema.shape[name].safeParse(undefined).data;
}

/** Else its absence would be told by the first file that is read. @throws CommandError `usage` */
async function requireModelFolder({ search, "search-model": path }: Settings): Promise<void> {
  if (!search || path === undefined) return;
  const found = await stat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return undefined;
    throw error;
  });
  if (!found?.isDirectory()) throw new CommandError("usage", `--search-model ${path} is no folder`);
}

function linesOf({
  apiUrl,
  webUrl,
  firstKey,
  addresses,
  dataFolder,
  stunUrl,
  webhookSecretFile,
  nodeId,
}: StartedNode): string[] {
  return [
    `node     ${nodeId}`,
    ...(webUrl === undefined ? [] : [`page     ${webUrl}`]),
    ...apiLines(apiUrl, firstKey),
    ...addresses.map((address) => `peers    ${address}`),
    ...(stunUrl === undefined ? [] : [`STUN     ${stunUrl}`]),
    ...(webhookSecretFile === undefined ? [] : [`webhook  signed with the secret in ${webhookSecretFile}`]),
    `data     ${dataFolder}`,
  ];
}
