/**
 * Invitations to download a file, those that came and those that were sent, and the events that tell of them. Made by the node;
 * calls the swarm.
 */
import { Bell } from "../bell.ts";
import type { NodeEvents } from "../events.ts";
import { ASK_INVITED_MAX_MS, ASK_INVITED_MIN_MS } from "../limits.ts";
import type { Announcement, Clock, Log, Swarm } from "../ports.ts";
import { type Invitation, Invitations } from "./invitations.ts";
import { type SentInvitation, SentInvitations } from "./sent-invitations.ts";

export interface InvitingPorts {
  swarm: Pick<Swarm, "invite" | "offer" | "peers" | "askUnlisted">;
  events: NodeEvents;
  clock: Clock;
  log: Log;
  /** The node's end. */
  signal: AbortSignal;
}

export class Inviting {
  readonly received: Invitations;
  readonly sent: SentInvitations;
  readonly #ports: InvitingPorts;
  readonly #invited = new Bell();
  #isAsking = false;

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
    const sent = this.sent.add(peerId, file);
    if (this.#isAsking) this.#invited.ring();
    else void this.#askWhoIsInvited();
    return sent;
  }

  /** Of an unlisted file nothing is announced. More and more seldom, since an invitation may be left alone for ever. */
  async #askWhoIsInvited(): Promise<void> {
    const { clock, log, signal } = this.#ports;
    this.#isAsking = true;
    let pauseMs = ASK_INVITED_MIN_MS;
    try {
      while (this.sent.ask()) {
        const isAnother = await this.#invited.waitUntil(clock.monotonic() + pauseMs, clock, signal);
        pauseMs = isAnother ? ASK_INVITED_MIN_MS : Math.min(2 * pauseMs, ASK_INVITED_MAX_MS);
      }
    } catch (error) {
      if (!signal.aborted) log.warn("peers that were invited are asked no more", { error });
    } finally {
      this.#isAsking = false;
    }
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
