/** `shoal start`, also without its name: runs a node until it is told to stop. Calls main. */
import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import { CommandError } from "../command-error.ts";
import { hasCode } from "../files/disk-errors.ts";
import type { StartedNode } from "../main.ts";
import { SETTING_NAMES, type Settings, SWITCHED_OFF } from "../settings/settings.ts";
import { refuseIdle } from "./idle-settings.ts";
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
      return { lines: () => linesOf(node), ready: node.ready, stop: node.stop };
    },
  });
  for (const name of SWITCHED_OFF) command.addOption(new Option(`--${name}`, "the default").hideHelp());
  return command;
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

async function linesOf({
  apiUrl,
  webUrl,
  firstKey,
  addresses,
  dataFolder,
  stunUrl,
  webhookSecretFile,
  nodeId,
}: StartedNode): Promise<string[]> {
  return [
    `node     ${nodeId}`,
    ...(webUrl === undefined ? [] : [`page     ${webUrl}`]),
    ...apiLines(apiUrl, await firstKey()),
    ...addresses.map((address) => `peers    ${address}`),
    ...(stunUrl === undefined ? [] : [`STUN     ${stunUrl}`]),
    ...(webhookSecretFile === undefined ? [] : [`webhook  signed with the secret in ${webhookSecretFile}`]),
    `data     ${dataFolder}`,
  ];
}
