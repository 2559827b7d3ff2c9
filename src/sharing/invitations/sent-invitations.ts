/**
 * Files that this node has asked peers to download, and what has come of it, as far as the peers announce what they
 * have, or say so when they are asked. Made by inviting, which has it look at each change of what others offer. In
 * memory: who invites is there.
 */
import type { SentStatus } from "../events.ts";
import { MAX_SENT_INVITATIONS } from "../limits.ts";
import type { Announcement, Clock, Held, Offer, Swarm } from "../ports.ts";

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
  swarm: Pick<Swarm, "offer" | "askUnlisted">;
  clock: Clock;
  /** It is no longer what it was. */
  onChange(sent: SentInvitation): void;
}

export class SentInvitations {
  readonly #ports: SentInvitationsPorts;
  /** Oldest first. */
  #all: SentInvitation[] = [];
  /** Those that their peers are being asked about. */
  readonly #asked = new Set<SentInvitation>();

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
    this.#learn(sent, heldAt(peerId, this.#ports.swarm.offer(fileId)));
    return sent;
  }

  /** Oldest first. */
  list(): SentInvitation[] {
    return [...this.#all];
  }

  /** Sees which peers have begun, or have all by now. */
  look(): void {
    for (const sent of this.#all)
      this.#learn(sent, heldAt(sent.peerId, this.#ports.swarm.offer(sent.fileId)));
  }

  /** Asks peers what they have and announce nowhere, each by itself; false where there is none to be asked any more. */
  ask(): boolean {
    const open = this.#all.filter(({ status }) => status !== "downloaded");
    // Not waited for: a silent one keeps the others' next answers from nobody.
    for (const sent of open) if (!this.#asked.has(sent)) void this.#ask(sent);
    return open.length > 0;
  }

  async #ask(sent: SentInvitation): Promise<void> {
    this.#asked.add(sent);
    const held = await this.#ports.swarm.askUnlisted(sent.peerId, sent.fileId);
    this.#asked.delete(sent);
    this.#learn(sent, held);
  }

  /** What a peer has once had stays said: it may have gone since, and its offers with it. */
  #learn(sent: SentInvitation, held: Held): void {
    if (held === "none" || sent.status === "downloaded" || !this.#all.includes(sent)) return;
    const status = held === "all" ? "downloaded" : "downloading";
    if (status === sent.status) return;
    sent.status = status;
    this.#ports.onChange(sent);
  }
}

function heldAt(peerId: string, offer: Offer | undefined): Held {
  if (offer?.completeHolders.includes(peerId)) return "all";
  return offer?.partialHolders.includes(peerId) ? "some" : "none";
}
