/** `shoal start`, also without its name: runs a node until it is told to stop. Calls main. */
import { type Command, Option } from "commander";
import type { StartedNode } from "../main.ts";
import { SETTING_NAMES, SWITCHED_OFF } from "../settings/settings.ts";
import { refuseIdle } from "./idle-settings.ts";
import { apiLines, serviceCommand } from "./service.ts";
import { refuseUnusable } from "./unusable-settings.ts";

export function startCommand(): Command {
  const command = serviceCommand("start", "run a node (the default command)", {
    settingNames: SETTING_NAMES,
    async start(settings, context) {
      refuseIdle(settings);
      await refuseUnusable(settings);
      // Loaded here alone, so that the other commands don't wait for libp2p.
      const { startNode } = await import("../main.ts");
      const node = await startNode(settings, context);
      return { lines: () => linesOf(node), ready: node.ready, stop: node.stop };
    },
  });
  for (const name of SWITCHED_OFF) command.addOption(new Option(`--${name}`, "the default").hideHelp());
  return command;
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
