/**
 * The one event stream of a node. Transfers, the catalog and the swarm publish; server-sent events and
 * webhooks read. The last few hundred events are kept, so that a reader who lost its connection can go on; of a transfer's
 * progress the newest alone, which says all, and the rest of which would soon take the place of all else.
 */
import { forgetOldest } from "./forget-oldest.ts";
import { EVENT_HISTORY } from "./limits.ts";
import type { Clock } from "./ports.ts";

/** Of the peer that was asked nothing is known yet, or it has begun to download, or it has all. */
export type SentStatus = "sent" | "downloading" | "downloaded";

/** Data of each event, with the field names of the API. */
export interface NodeEventData {
  transfer_started: { transfer_id: string; file_id: string };
  transfer_progress: {
    transfer_id: string;
    file_id: string;
    status: string;
    progress: number;
    speed: number;
    peers: number;
    estimated_completion: string | null;
  };
  transfer_complete: { transfer_id: string; file_id: string; size: number; duration: number };
  transfer_failed: { transfer_id: string; file_id: string; error: string };
  transfer_cancelled: { transfer_id: string; file_id: string };
  transfer_interrupted: { transfer_id: string; file_id: string; reason: string };
  peer_connected: { peer_id: string; address: string };
  peer_disconnected: { peer_id: string };
  file_shared: { file_id: string; name: string; size: number; chunks: number };
  file_unlisted: { file_id: string };
  file_deleted: { file_id: string };
  invitation_received: InvitationData;
  invitation_answered: InvitationData & { status: SentStatus };
}

type InvitationData = {
  invitation_id: string;
  peer_id: string;
  peer_name: string | null;
  file_id: string;
  name: string;
  size: number;
};

export type NodeEventName = keyof NodeEventData;

export type NodeEvent = {
  [E in NodeEventName]: {
    /** Grows by one an event, from 1 at the start of the process. */
    id: number;
    event: E;
    /** ISO 8601 UTC. */
    timestamp: string;
    data: NodeEventData[E];
  };
}[NodeEventName];

export interface NodeEvents {
  publish<E extends NodeEventName>(event: E, data: NodeEventData[E]): void;
  /** Kept events with an id above the one given, oldest first. */
  since(id: number): NodeEvent[];
  /** Calls the listener for each new event until the function returned is called. */
  subscribe(listener: (event: NodeEvent) => void): () => void;
}

/**
 * Those that strangers can cause without end. They are kept apart, so that neither these nor all others are forgotten
 * for the other.
 */
const OF_STRANGERS: ReadonlySet<NodeEventName> = new Set([
  "peer_connected",
  "peer_disconnected",
  "invitation_received",
]);

export function createNodeEvents(clock: Clock): NodeEvents {
  const listeners = new Set<(event: NodeEvent) => void>();
  const history: NodeEvent[] = [];
  const ofStrangers: NodeEvent[] = [];
  /** By transfer, in the order of their ids. */
  const progress = new Map<string, NodeEvent>();
  let lastId = 0;

  function keep(entry: NodeEvent): void {
    if (entry.event !== "transfer_progress") {
      const kind = OF_STRANGERS.has(entry.event) ? ofStrangers : history;
      kind.push(entry);
      if (kind.length > EVENT_HISTORY) kind.shift();
      return;
    }
    progress.delete(entry.data.transfer_id);
    progress.set(entry.data.transfer_id, entry);
    forgetOldest(progress, EVENT_HISTORY);
  }

  return {
    publish(event, data) {
      lastId += 1;
      const entry = { id: lastId, event, timestamp: new Date(clock.now()).toISOString(), data } as NodeEvent;
      keep(entry);
      for (const listener of listeners) listener(entry);
    },
    since(id) {
      const kept = [...history, ...ofStrangers, ...progress.values()].filter((entry) => entry.id > id);
      return kept.sort((one, other) => one.id - other.id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
