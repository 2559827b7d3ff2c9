/** Names for what the client's methods answer with, for all screens. */
import type { ShoalClient } from "../../client/client.ts";

type Asked =
  | "files"
  | "networkFiles"
  | "transfers"
  | "peers"
  | "nodeInfo"
  | "invitations"
  | "sentInvitations";
type Answer<M extends Asked> = Awaited<ReturnType<ShoalClient[M]>>;

export type LocalFile = Answer<"files">["files"][number];
export type NetworkFile = Answer<"networkFiles">["files"][number];
export type Transfer = Answer<"transfers">["transfers"][number];
export type Peer = Answer<"peers">["peers"][number];
export type Invitation = Answer<"invitations">["invitations"][number];
export type SentInvitation = Answer<"sentInvitations">["invitations"][number];
export type NodeInfo = Answer<"nodeInfo">;

/** Those of this node's swarm, which its relays need not be. A node of an earlier version tells of none that it is not. */
export function inSwarm(peers: readonly Peer[]): Peer[] {
  return peers.filter((peer) => peer.in_swarm !== false);
}
