/**
 * What a download asks of whom from when its manifest is known: gives every peer with room its next chunk, and puts down what
 * comes of each request. Made by the transfer, whose loop alone calls it; calls the picker of transfer-chunks, and transfer-work.
 */
import { isSharingError } from "../errors.ts";
import type { ActivePeer } from "./active-peer.ts";
import type { PeersInUse } from "./peers-in-use.ts";
import type { TransferChunks } from "./transfer-chunks.ts";
import type { TransferEvent, TransferWork } from "./transfer-work.ts";

export interface ChunkRequestsParts {
  chunks: TransferChunks;
  peers: PeersInUse;
  work: TransferWork;
  /** A peer was asked for a chunk. */
  onAsked: (peer: ActivePeer) => void;
  /** A chunk has come that was not here. */
  onNew: () => void;
}

export class ChunkRequests {
  readonly #parts: ChunkRequestsParts;

  constructor(parts: ChunkRequestsParts) {
    this.#parts = parts;
  }

  /** Every peer with room is given its next chunk, one each in turn, until none has room or work. */
  fill(): void {
    const { chunks, peers } = this.#parts;
    let open = [...peers];
    while (open.length > 0) open = open.filter((peer) => this.#askNext(peer));
    for (const peer of peers) chunks.leaveTurns(peer);
  }

  /** Readers are elsewhere: what peers were asked for before may be urgent now, or no longer. */
  prioritize(): void {
    const { chunks, peers } = this.#parts;
    const { entry, picker } = chunks;
    for (const { peerId, index, isUrgent } of picker.want(entry.demand.spans())) {
      peers.get(peerId)?.prioritize(index, isUrgent, entry.manifest.chunkCid(index));
    }
  }

  stored({ peer, index, signal, elapsedMs }: TransferEvent & { type: "stored" }): void {
    const { chunks } = this.#parts;
    const { holding, manifest } = chunks.entry;
    peer.end(index, signal);
    peer.delivered(elapsedMs, manifest.chunkBytes(index));
    const isNew = !holding.has(index);
    for (const place of chunks.placesOf(index)) {
      for (const askedId of chunks.picker.held(place)) this.#cancel(askedId, place);
      holding.mark(place);
    }
    if (isNew) this.count(peer, index);
  }

  /** A chunk of the file is owed to the peer. */
  count(peer: ActivePeer, index: number): void {
    const { chunks, onNew } = this.#parts;
    chunks.credit(index, peer.id);
    onNew();
  }

  /** Gives what the peer is to be blamed for. */
  failed({ peer, index, signal, error }: TransferEvent & { type: "failed" }): unknown {
    const { chunks, peers } = this.#parts;
    const wasWaitedFor = peer.end(index, signal);
    if (!peers.has(peer)) return undefined;
    // Garbage is a strike also where another was faster.
    if (!wasWaitedFor) return isSharingError(error, "hash_mismatch") ? error : undefined;
    chunks.picker.failed(peer.id, index);
    if (!isSharingError(error, "block_not_found")) return error;
    peer.refused();
    chunks.picker.lacks(peer.id, index);
    return undefined;
  }

  /** What peers that get nowhere hold of the chunks that may be under way is others'. */
  giveBackSurplus(): void {
    const { chunks, peers } = this.#parts;
    for (const peer of peers) {
      for (const index of peer.surplus) {
        peer.cancel(index, "the peer brings next to nothing");
        chunks.picker.failed(peer.id, index);
      }
    }
  }

  #askNext(peer: ActivePeer): boolean {
    const { chunks, work, onAsked } = this.#parts;
    if (!work.hasRoomFor(peer) || !chunks.hasTurn(peer)) return false;
    const { entry, picker, copy } = chunks;
    const pick = peer.hasRoom
      ? picker.pick(peer.id, peer)
      : peer.hasRoomForUrgent && picker.pickUrgent(peer.id, peer);
    if (!pick) return false;
    work.fetchChunk({ peer, entry, copy, ...pick });
    onAsked(peer);
    return true;
  }

  #cancel(peerId: string, index: number): void {
    this.#parts.peers.get(peerId)?.cancel(index, "another peer was faster");
  }
}
