/** What the node is asked for again and again, as it last told. Made by app-state; calls the client. */
import type { ShoalClient } from "../../client/client.ts";
import type {
  Invitation,
  LocalFile,
  NetworkFile,
  NodeInfo,
  Peer,
  SentInvitation,
  Transfer,
} from "./entries.ts";
import { keptEntries } from "./kept-entries.ts";
import { createLive, type Live } from "./live.ts";
import { noneIfUnknown } from "./older-node.ts";

export interface Lists {
  readonly info: Live<NodeInfo>;
  /** Newest first. */
  readonly files: Live<readonly LocalFile[]>;
  /** Newest first, ended ones too. */
  readonly transfers: Live<readonly Transfer[]>;
  readonly peers: Live<readonly Peer[]>;
  /** What peers ask to be downloaded here, oldest first. */
  readonly invitations: Live<readonly Invitation[]>;
  /** What peers were asked to download, oldest first, and what came of it. */
  readonly sent: Live<readonly SentInvitation[]>;
  readonly network: Live<readonly NetworkFile[]>;
}

/** `onTransfers`: called with each answer about transfers, before it is shown. */
export function createLists(client: ShoalClient, onTransfers: () => void): Lists {
  return {
    info: createLive(() => client.nodeInfo()),
    files: createLive<readonly LocalFile[]>(async () => (await client.files()).files.reverse(), keptEntries),
    transfers: createLive<readonly Transfer[]>(async () => {
      const { transfers } = await client.transfers({ all: true });
      onTransfers();
      return transfers;
    }, keptEntries),
    peers: createLive(async () => (await client.peers()).peers),
    invitations: createLive(() => noneIfUnknown(client.invitations().then((list) => list.invitations))),
    sent: createLive(() => noneIfUnknown(client.sentInvitations().then((list) => list.invitations))),
    network: createLive<readonly NetworkFile[]>(async () => (await client.networkFiles()).files, keptEntries),
  };
}

export async function refreshAll(lists: Lists): Promise<void> {
  await Promise.all(Object.values(lists).map((list: Live<unknown>) => list.refresh()));
}
