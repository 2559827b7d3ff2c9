/** `shoal send`: one peer is asked to download a file. */
import type { Command } from "commander";
import type { Peer } from "../../api/node.ts";
import { calledName } from "../../client/called-name.ts";
import type { ShoalClient } from "../../client/client.ts";
import { parseFileId } from "../../sharing/file-id.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { CommandError } from "../command-error.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { printJson, printLine } from "./output.ts";
import { eventsUntilStop, untilInterrupted } from "./watching.ts";

/** Ed25519, secp256k1, and the hash of any other key. */
const PEER_ID = /^(12D3Koo|16Uiu2|Qm)\w{40,}$/;

export function sendCommand(): Command {
  return clientCommand("send", "ask a peer to download a file that is here; see shoal share")
    .argument("<file-id>")
    .argument("<peer>", "its id or its name, as shoal peers lists them")
    .option("--wait", "until the peer has it")
    .action(async (fileId: string, peer: string, options: NodeOptions & { wait?: boolean }) => {
      const { client } = await reachNode(options);
      const { id, name } = await findPeer(client, peer);
      const answer = await client.invite(id, fileId);
      const who = calledName({ id, name });
      if (!options.json) printLine(`${who} was asked to download it`);
      const file = options.wait
        ? await untilDownloaded(client, id, parseFileId(fileId).toString())
        : undefined;
      if (options.json) return printJson({ ...answer, peer_id: id });
      // Of a folder the list is sent, and its files are asked for by whoever has it.
      if (file) printLine(`${who} has ${folderNameOf(file.name) === undefined ? "it" : "the folder's list"}`);
    });
}

/** @throws CommandError `request_failed` when the node stops, `interrupted` on Ctrl-C */
async function untilDownloaded(
  client: ShoalClient,
  peerId: string,
  fileId: string,
): Promise<{ name: string }> {
  const downloaded = await untilInterrupted(
    "the peer was asked all the same: see shoal invitations --sent",
    async (signal) => {
      // From event 0: what has come of it by now is told again.
      const options = { events: ["invitation_answered"], lastEventId: "0", signal } as const;
      for await (const { event, data } of eventsUntilStop(client, options)) {
        if (event !== "invitation_answered" || data.peer_id !== peerId || data.file_id !== fileId) continue;
        // The event may be of an earlier invitation, or of a later one, which has taken the place of ours.
        const { invitations } = await client.sentInvitations();
        const sent = invitations.find((one) => one.peer_id === peerId && one.file_id === fileId);
        if (sent?.status === "downloaded") return sent;
      }
      return undefined;
    },
  );
  if (downloaded !== undefined) return downloaded;
  throw new CommandError("request_failed", "the node stopped before the peer had it");
}

/** What may be an id is no name; a peer that is not connected may be met by its id. */
async function findPeer(client: ShoalClient, text: string): Promise<Pick<Peer, "id" | "name">> {
  const { peers } = await client.peers();
  // A stranger may call itself by the id of somebody who is away.
  if (PEER_ID.test(text)) return peers.find(({ id }) => id === text) ?? { id: text, name: null };
  const [named, ...others] = peers.filter((peer) => calledName(peer) === text);
  if (others.length > 0)
    throw new CommandError(
      "request_failed",
      `several peers are called ${text}; say which by its id (shoal peers)`,
    );
  if (named !== undefined) return named;
  throw new CommandError("request_failed", `no peer is called ${text}; shoal peers lists them`);
}
