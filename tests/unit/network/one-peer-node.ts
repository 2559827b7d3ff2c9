/** A node of libp2p that has met one peer, as far as what is told to peers needs it. */
import type { Connection, PeerId, Stream, StreamHandler, Topology } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";

export class OnePeerNode extends EventTarget {
  readonly peerId: PeerId = peerIdFromString("12D3KooWNfWRkrgA3aDWnuQJa34rLGkWHCA8KUjeCeeUP6pZMwat");
  readonly peer: PeerId = peerIdFromString("12D3KooWQYV9dGMFoRzNStwpXztXaBUjtPqi6aU76ZgUriHhKust");
  isConnected = true;
  /** Streams that were to be opened to the peer, and were not. */
  asked = 0;
  #handler: StreamHandler | undefined;
  #topology: Topology | undefined;
  #connection = this.#newConnection();

  /** For what speaks with peers. */
  get ports() {
    return {
      node: this as unknown as Libp2pNode,
      swarm: "test",
      clock: systemClock,
      log: () => undefined,
      openStream: async (): Promise<Stream> => {
        this.asked += 1;
        throw new Error("nobody answers");
      },
    };
  }

  async handle(_protocol: string, handler: StreamHandler): Promise<void> {
    this.#handler = handler;
  }

  async register(_protocol: string, topology: Topology): Promise<void> {
    this.#topology = topology;
  }

  getPeers(): PeerId[] {
    return this.isConnected ? [this.peer] : [];
  }

  getConnections(): Connection[] {
    return this.isConnected ? [this.#connection] : [];
  }

  /** By a connection of its own. */
  meet(): void {
    this.#connection = this.#newConnection();
    this.hearAgain();
  }

  /** As whenever the peer says something of itself. */
  hearAgain(): void {
    this.#topology?.onConnect?.(this.peer, this.#connection);
  }

  lose(): void {
    this.isConnected = false;
    this.dispatchEvent(new CustomEvent("peer:disconnect", { detail: this.peer }));
  }

  take(stream: Stream): void {
    void this.#handler?.(stream, this.#connection);
  }

  #newConnection(): Connection {
    return { remotePeer: this.peer, remoteAddr: multiaddr("/ip4/10.0.0.1/tcp/1") } as Connection;
  }
}
