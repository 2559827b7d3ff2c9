/**
 * What nodes tell each other alone: what they are called, told to whoever connects and again when it changes, and invitations
 * to download a file. Made by the swarm; calls note-messages. Nodes that are too old for it have no name and take no invitation.
 */
import type { Stream } from "@libp2p/interface";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import type { Announcement, Clock } from "../../sharing/ports.ts";
import { lacksProtocol } from "../connecting/dialer.ts";
import { onSpeaker } from "../connecting/speakers.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_CONNECTIONS, MAX_INBOUND_STREAMS_PER_PROTOCOL } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import type { NetworkLog } from "../network-log.ts";
import { answerOne, askOne } from "../one-answer.ts";
import { MAX_NOTE_BYTES, NOTE_BURST, NOTE_TIMEOUT_MS, NOTES_PER_SECOND } from "./limits.ts";
import { decodeNote, encodeNote, NOTE_PROTOCOL, type Note } from "./note-messages.ts";

export interface NotesPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  log: NetworkLog;
  openStream(peerId: string, protocol: string, signal: AbortSignal): Promise<Stream>;
  onInvited(peerId: string, file: Announcement): void;
}

const TAKEN = Uint8Array.of(1);
const NOT_TAKEN = Uint8Array.of(0);

export class Notes {
  readonly #ports: NotesPorts;
  /** Of the peers that are connected now those that take notes. */
  readonly #takers = new Set<string>();
  /** What peers that are connected now are called. */
  readonly #names = new Map<string, string>();
  /** Peers that are just being told the name; true where it has changed since, or the peer has connected once more. */
  readonly #telling = new Map<string, boolean>();
  readonly #taken: MessageRate;
  #ownName = "";
  takesInvitations = true;

  constructor(ports: NotesPorts) {
    this.#ports = ports;
    this.#taken = new MessageRate(ports.clock, {
      burst: NOTE_BURST,
      perSecond: NOTES_PER_SECOND,
      maxKeys: MAX_CONNECTIONS,
    });
  }

  /** Takes notes, and tells whoever connects. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    const { node, log } = this.#ports;
    await node.handle(
      NOTE_PROTOCOL,
      (stream, connection) => {
        const peer = connection.remotePeer.toString();
        return this.#take(stream, peer).catch((error) => log("a note was not taken", { peer, error }));
      },
      { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
    );
    await onSpeaker(node, NOTE_PROTOCOL, (peerId) => {
      this.#takers.add(peerId);
      if (this.#ownName !== "") void this.#tellName(peerId);
    });
    node.addEventListener("peer:disconnect", ({ detail }) => {
      this.#takers.delete(detail.toString());
      this.#names.delete(detail.toString());
    });
  }

  /** Nothing where the peer has told none. */
  nameOf(peerId: string): string | undefined {
    return this.#names.get(peerId);
  }

  /** From now on this node is called so; empty: it has no name any more. */
  rename(name: string): void {
    if (name === this.#ownName) return;
    this.#ownName = name;
    for (const peerId of this.#takers) void this.#tellName(peerId);
  }

  /** @throws SharingError `peer_unreachable` (also where it takes no invitation); the signal's reason */
  async invite(peerId: string, file: Announcement, signal: AbortSignal): Promise<void> {
    const { swarm } = this.#ports;
    const isTaken = await this.#send(peerId, { swarm, kind: "invitation", file }, signal);
    if (!isTaken) throw new SharingError("peer_unreachable", "The peer takes no invitation just now");
  }

  /**
   * One note after another, so that the last is what it is called. Of two connections made at once one ends, and its
   * note with it.
   */
  async #tellName(peerId: string): Promise<void> {
    if (this.#telling.has(peerId)) {
      this.#telling.set(peerId, true);
      return;
    }
    const { swarm, log } = this.#ports;
    let told: string | undefined;
    do {
      this.#telling.set(peerId, false);
      const name = this.#ownName;
      try {
        await this.#send(peerId, { swarm, kind: "name", name });
        told = name;
      } catch (error) {
        log("a peer was not told the name of this node", { peer: peerId, error });
      }
    } while (this.#telling.get(peerId) && this.#takers.has(peerId) && told !== this.#ownName);
    this.#telling.delete(peerId);
  }

  /** Whether it was taken. @throws SharingError `peer_unreachable`; the signal's reason */
  async #send(peerId: string, note: Note, signal?: AbortSignal): Promise<boolean> {
    const patience = AbortSignal.timeout(NOTE_TIMEOUT_MS);
    const bounded = signal === undefined ? patience : AbortSignal.any([signal, patience]);
    try {
      const stream = await this.#ports.openStream(peerId, NOTE_PROTOCOL, bounded);
      const isTaken = (answer: Uint8Array) => answer.length === 1 && answer[0] === 1;
      return await askOne(stream, encodeNote(note), isTaken, { maxBytes: 1, signal: bounded });
    } catch (cause) {
      signal?.throwIfAborted();
      if (lacksProtocol(cause)) {
        throw new SharingError("peer_unreachable", "The peer's version takes no invitations", { cause });
      }
      if (isSharingError(cause, "peer_unreachable")) throw cause;
      throw new SharingError("peer_unreachable", "The peer did not answer", { cause });
    }
  }

  async #take(stream: Stream, peerId: string): Promise<void> {
    const signal = AbortSignal.timeout(NOTE_TIMEOUT_MS);
    const answer = (bytes: Uint8Array) => {
      const note = decodeNote(bytes);
      const isWelcome = note.kind === "name" || this.takesInvitations;
      const isTaken = note.swarm === this.#ports.swarm && isWelcome && this.#taken.take(peerId);
      if (isTaken) this.#heed(peerId, note);
      return isTaken ? TAKEN : NOT_TAKEN;
    };
    await answerOne(stream, answer, { maxBytes: MAX_NOTE_BYTES, signal });
  }

  #heed(peerId: string, note: Note): void {
    if (note.kind === "invitation") this.#ports.onInvited(peerId, note.file);
    else if (note.name === "") this.#names.delete(peerId);
    // It may have gone since it wrote.
    else if (this.#ports.node.getPeers().some((peer) => peer.toString() === peerId))
      this.#names.set(peerId, note.name);
  }
}
