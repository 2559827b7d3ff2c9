/** `shoal invitations`: what peers ask this node to download, and what came of those that it sent. */
import type { Command } from "commander";
import type { SentInvitation } from "../../api/invitations.ts";
import { calledName } from "../../client/called-name.ts";
import type { ShoalClient } from "../../client/client.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { formatBytes, printJson, printTable } from "./output.ts";

const STATUS_WORDS: Record<SentInvitation["status"], string> = {
  sent: "no answer yet",
  downloading: "is getting it",
  downloaded: "has it",
};

export function invitationsCommand(): Command {
  return clientCommand("invitations", "list what peers ask this node to download")
    .option("--sent", "what this node asked peers to download, and what came of it")
    .action(async (options: NodeOptions & { sent?: boolean }) => {
      const { client } = await reachNode(options);
      await (options.sent ? listSent : listReceived)(client, options);
    });
}

async function listReceived(client: ShoalClient, { json }: NodeOptions): Promise<void> {
  const answer = await client.invitations();
  if (json) return printJson(answer);
  const rows = answer.invitations.map((one) => [...sharedCells(one), one.name]);
  printTable(["FILE", "SIZE", "FROM", "NAME"], rows);
}

async function listSent(client: ShoalClient, { json }: NodeOptions): Promise<void> {
  const answer = await client.sentInvitations();
  if (json) return printJson(answer);
  const rows = answer.invitations.map((one) => [...sharedCells(one), STATUS_WORDS[one.status], one.name]);
  printTable(["FILE", "SIZE", "TO", "STATUS", "NAME"], rows);
}

function sharedCells(one: Pick<SentInvitation, "file_id" | "size" | "peer_id" | "peer_name">): string[] {
  return [one.file_id, formatBytes(one.size), calledName({ id: one.peer_id, name: one.peer_name })];
}
