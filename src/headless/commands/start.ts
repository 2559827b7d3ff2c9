/** `shoal start`, also without its name: runs a node until it is told to stop. Calls main. */
import { type Command, Option } from "commander";
import { CommandError } from "../command-error.ts";
import type { StartedNode } from "../main.ts";
import { SETTING_NAMES, type Settings, SWITCHED_OFF } from "../settings/settings.ts";
import { apiLines, serviceCommand } from "./service.ts";

export function startCommand(): Command {
  const command = serviceCommand("start", "run a node (the default command)", {
    settingNames: SETTING_NAMES,
    async start(settings, context) {
      refuseIdleCertificate(settings);
      // Loaded here alone, so that the other commands don't wait for libp2p.
      const { startNode } = await import("../main.ts");
      const node = await startNode(settings, context);
      return { lines: linesOf(node), ready: node.ready, stop: node.stop };
    },
  });
  for (const name of SWITCHED_OFF) command.addOption(new Option(`--${name}`, "the default").hideHelp());
  return command;
}

/** Else the API, which is served without it, would be thought to be encrypted. @throws CommandError `usage` */
function refuseIdleCertificate({ "web-port": port, "tls-cert": cert, "tls-key": key }: Settings): void {
  if (port !== undefined || (cert === undefined && key === undefined)) return;
  throw new CommandError(
    "usage",
    "--tls-cert and --tls-key are for the page alone: give --web-port with them",
  );
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
