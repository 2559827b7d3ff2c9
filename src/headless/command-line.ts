/** All commands of `shoal` with their arguments and options. Made by shoal, which runs one of them. */
import { Command } from "commander";
import { connectCommand } from "./commands/connect.ts";
import { downloadCommands } from "./commands/download.ts";
import { invitationsCommand } from "./commands/invitations.ts";
import { keyCommands } from "./commands/keys.ts";
import { listCommands } from "./commands/lists.ts";
import { saveCommand } from "./commands/save.ts";
import { searchCommands } from "./commands/search.ts";
import { sendCommand } from "./commands/send.ts";
import { shareCommands } from "./commands/share.ts";
import { startCommand } from "./commands/start.ts";
import { stopCommands } from "./commands/stop-transfer.ts";
import { vxCommand } from "./commands/vx.ts";
import { webhookCommands } from "./commands/webhooks.ts";
import { programVersion } from "./program.ts";

export function createProgram(): Command {
  const program = new Command("shoal")
    .description("Peer-to-peer file sharing and vector search: a node, and commands that speak to one")
    .version(programVersion())
    .addCommand(startCommand(), { isDefault: true })
    .addCommand(vxCommand());
  const files = [
    ...shareCommands(),
    sendCommand(),
    invitationsCommand(),
    ...downloadCommands(),
    ...stopCommands(),
    saveCommand(),
  ];
  const node = [...listCommands(), connectCommand(), ...webhookCommands(), ...keyCommands()];
  const commands = [...files, ...searchCommands(), ...node];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().showHelpAfterError("(--help shows what there is)");
    command.configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, "shoal:")) });
  }
  return program;
}
