/** `shoal send` and `shoal invitations`: one peer is asked to download a file, and what peers ask of this node. */
import type { Command } from "commander";
import type { Peer } from "../../api/node.ts";
import { calledName } from "../../client/called-name.ts";
import type { ShoalClient } from "../../client/client.ts";
import { CommandError } from "../command-error.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { formatBytes, printJson, printLine, printTable } from "./output.ts";

export function sendCommands(): Command[] {
  const send = clientCommand("send", "ask a peer to download a file that is here; see shoal share")
    .argument("<file-id>")
    .argument("<peer>", "its id or its name, as shoal peers lists them")
    .action(async (fileId: string, peer: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const { id, name } = await findPeer(client, peer);
      const answer = await client.invite(id, fileId);
      if (options.json) return printJson({ ...answer, peer_id: id });
      printLine(`${calledName({ id, name })} was asked to download it`);
    });

  const invitations = clientCommand("invitations", "list what peers ask this node to download").action(
    async (options: NodeOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.invitations();
      if (options.json) return printJson(answer);
      const rows = answer.invitations.map((one) => [
        one.file_id,
        formatBytes(one.size),
        calledName({ id: one.peer_id, name: one.peer_name }),
        one.name,
      ]);
      printTable(["FILE", "SIZE", "FROM", "NAME"], rows);
    },
  );
  return [send, invitations];
}

/** Ids are told from names by being listed; a peer that is not connected may be met by its id. */
async function findPeer(client: ShoalClient, text: string): Promise<Pick<Peer, "id" | "name">> {
  const { peers } = await client.peers();
  const byId = peers.find(({ id }) => id === text);
  if (byId !== undefined) return byId;
  const [named, ...others] = peers.filter((peer) => calledName(peer) === text);
  if (others.length > 0)
    throw new CommandError(
      "request_failed",
      `several peers are called ${text}; say which by its id (shoal peers)`,
    );
  if (named !== undefined) return named;
  if (/^(12D3Koo|16Uiu2|Qm)\w+$/.test(text)) return { id: text, name: null };
  throw new CommandError("request_failed", `no peer is called ${text}; shoal peers lists them`);
}
