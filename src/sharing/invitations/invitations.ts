/**
 * Files that peers have asked this node to download, until somebody answers. Made by inviting; heard from the swarm. In memory:
 * whoever invites is there, and may do so again.
 */
import { SharingError } from "../errors.ts";
import { MAX_INVITATIONS, MAX_INVITATIONS_PER_PEER } from "../limits.ts";
import type { Announcement, Clock } from "../ports.ts";

export interface Invitation {
  id: string;
  peerId: string;
  fileId: string;
  /** Sanitised for display; still hostile text. */
  name: string;
  sizeBytes: number;
  receivedAt: Date;
}

export class Invitations {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #byId = new Map<string, Invitation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes the place of an earlier one to the same file, and where there are too many, of the peer's oldest, or that of
   * who has the most: a few strangers push out nobody's single one.
   */
  add(peerId: string, { fileId, name, sizeBytes }: Announcement): Invitation {
    const ofPeer = this.list().filter((known) => known.peerId === peerId);
    const same = ofPeer.find((known) => known.fileId === fileId);
    if (same !== undefined) this.#byId.delete(same.id);
    else if (ofPeer.length >= MAX_INVITATIONS_PER_PEER) this.#forget(ofPeer[0]);
    else if (this.#byId.size >= MAX_INVITATIONS) this.#forget(this.#oldestOfMost());
    const receivedAt = new Date(this.#clock.now());
    const invitation = { id: crypto.randomUUID(), peerId, fileId, name, sizeBytes, receivedAt };
    this.#byId.set(invitation.id, invitation);
    return invitation;
  }

  /** Oldest first. */
  list(): Invitation[] {
    return [...this.#byId.values()];
  }

  /** @throws SharingError `invitation_not_found` */
  dismiss(id: string): void {
    if (!this.#byId.delete(id)) throw new SharingError("invitation_not_found", "Invitation not found");
  }

  /** The file is asked for, whoever invited to it. */
  accept(fileId: string): void {
    for (const { id } of this.list().filter((known) => known.fileId === fileId)) this.#byId.delete(id);
  }

  /** Where several have as many, the oldest of theirs. */
  #oldestOfMost(): Invitation | undefined {
    const counts = new Map<string, number>();
    for (const { peerId } of this.#byId.values()) counts.set(peerId, (counts.get(peerId) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return this.list().find(({ peerId }) => counts.get(peerId) === most);
  }

  #forget(invitation: Invitation | undefined): void {
    if (invitation !== undefined) this.#byId.delete(invitation.id);
  }
}
