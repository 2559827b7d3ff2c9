/**
 * Invitations to download a file, those that came and those that were sent, and the events that tell of them. Made by the node;
 * calls the swarm.
 */
import type { NodeEvents } from "./events.ts";
import { type Invitation, Invitations } from "./invitations.ts";
import type { Announcement, Clock, Swarm } from "./ports.ts";
import { type SentInvitation, SentInvitations } from "./sent-invitations.ts";

export interface InvitingPorts {
  swarm: Pick<Swarm, "invite" | "offer" | "peers">;
  events: NodeEvents;
  clock: Clock;
}

export class Inviting {
  readonly received: Invitations;
  readonly sent: SentInvitations;
  readonly #ports: InvitingPorts;

  constructor(ports: InvitingPorts) {
    this.#ports = ports;
    this.received = new Invitations(ports.clock);
    this.sent = new SentInvitations({
      ...ports,
      onChange: (sent) =>
        ports.events.publish("invitation_answered", { ...this.#told(sent), status: sent.status }),
    });
  }

  /** @throws SharingError `peer_unreachable` */
  async invite(peerId: string, file: Announcement, signal: AbortSignal): Promise<SentInvitation> {
    await this.#ports.swarm.invite(peerId, file, signal);
    return this.sent.add(peerId, file);
  }

  /** A peer asks for the file to be downloaded. */
  onInvited(peerId: string, file: Announcement): void {
    const received = this.received.add(peerId, file);
    this.#ports.events.publish("invitation_received", this.#told(received));
  }

  #told({ id, peerId, fileId, name, sizeBytes }: Invitation | SentInvitation) {
    const peer = this.#ports.swarm.peers().find((known) => known.peerId === peerId);
    return {
      invitation_id: id,
      peer_id: peerId,
      peer_name: peer?.name ?? null,
      file_id: fileId,
      name,
      size: sizeBytes,
    };
  }
}
