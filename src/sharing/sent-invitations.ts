/**
 * Files that this node has asked peers to download, and what has come of it, as far as the peers announce what they have. Made by
 * inviting, which has it look at each change of what others offer. In memory: who invites is there.
 */
import type { SentStatus } from "./events.ts";
import { MAX_SENT_INVITATIONS } from "./limits.ts";
import type { Announcement, Clock, Swarm } from "./ports.ts";

export interface SentInvitation {
  id: string;
  peerId: string;
  fileId: string;
  name: string;
  sizeBytes: number;
  sentAt: Date;
  status: SentStatus;
}

export interface SentInvitationsPorts {
  swarm: Pick<Swarm, "offer">;
  clock: Clock;
  /** It is no longer what it was. */
  onChange(sent: SentInvitation): void;
}

export class SentInvitations {
  readonly #ports: SentInvitationsPorts;
  /** Oldest first. */
  #all: SentInvitation[] = [];

  constructor(ports: SentInvitationsPorts) {
    this.#ports = ports;
  }

  /** Takes the place of the same one before, and of the oldest where there are too many. */
  add(peerId: string, { fileId, name, sizeBytes }: Announcement): SentInvitation {
    const sentAt = new Date(this.#ports.clock.now());
    const id = crypto.randomUUID();
    const sent: SentInvitation = { id, peerId, fileId, name, sizeBytes, sentAt, status: "sent" };
    const others = this.#all.filter((known) => known.peerId !== peerId || known.fileId !== fileId);
    this.#all = [...others.slice(-(MAX_SENT_INVITATIONS - 1)), sent];
    this.#lookAt(sent);
    return sent;
  }

  /** Oldest first. */
  list(): SentInvitation[] {
    return [...this.#all];
  }

  /** Sees which peers have begun, or have all by now. */
  look(): void {
    for (const sent of this.#all) this.#lookAt(sent);
  }

  /** What a peer has once had stays said: it may have gone since, and its offers with it. */
  #lookAt(sent: SentInvitation): void {
    if (sent.status === "downloaded") return;
    const offer = this.#ports.swarm.offer(sent.fileId);
    const isWhole = offer?.completeHolders.includes(sent.peerId) === true;
    const isPartial = offer?.partialHolders.includes(sent.peerId) === true;
    if (!isWhole && (!isPartial || sent.status === "downloading")) return;
    sent.status = isWhole ? "downloaded" : "downloading";
    this.#ports.onChange(sent);
  }
}
