/**
 * libp2p's circuit relay as transport, mended: what it takes of relays and of strangers who bring circuits, and whose
 * clock it goes by. Handed to the runtimes for their transports; its store of reservations is relay-client's.
 */
import { circuitRelayTransport } from "@libp2p/circuit-relay-v2";
import { type Connection, InvalidMessageError, type PeerId, type Stream } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { cappedMessages } from "../libp2p/capped-streams.ts";
import { MAX_ADDRESSES_PER_PEER } from "../limits.ts";
import {
  MAX_RELAY_MESSAGE_BYTES,
  MAX_RELAY_STREAMS_PER_CONNECTION,
  MAX_RELAYS_ASKED,
  RELAY_RESERVATION_TTL_MS,
} from "./limits.ts";

/** What an address begins with that says where to dial. */
const HOST_PROTOCOLS = new Set(["ip4", "ip6", "dns", "dns4", "dns6", "dnsaddr"]);

/**
 * The transport that dials and listens through relays, for the runtimes to put among theirs. Its own search for
 * relays is switched off: it would ask the same relay at the same time, and both would fail.
 */
export function relayTransport(): ReturnType<typeof circuitRelayTransport> {
  const create = circuitRelayTransport({
    discoveryFilter: { has: () => true, add: () => undefined, remove: () => undefined },
    maxInboundStopStreams: MAX_RELAY_STREAMS_PER_CONNECTION,
    reservationConcurrency: MAX_RELAYS_ASKED,
  });
  return (components) => {
    const transport = create(components);
    if (hasReservations(transport)) {
      takeOwnCircuits(transport);
      keepTagged(transport.reservationStore);
      // Before any listener of the library hears of it, which throws over an address without a host.
      transport.reservationStore.addEventListener("relay:created-reservation", ({ detail }) => {
        const { reservation } = detail.details;
        reservation.addrs = reservation.addrs.filter(hasHost).slice(0, MAX_ADDRESSES_PER_PEER);
      });
    }
    return transport;
  };
}

/**
 * Those of the relays that this node chose, as it alone may. To the library whoever brings a circuit is a relay to be reached
 * through: sixty strangers gave a node 1,800 addresses.
 */
function takeOwnCircuits(transport: RelayTransport): void {
  const take = transport.onStop;
  transport.onStop = async (stream, connection) => {
    if (transport.reservationStore.hasReservation(connection.remotePeer))
      await take(cappedMessages(stream, MAX_RELAY_MESSAGE_BYTES), connection);
    else stream.abort(new InvalidMessageError("no relay of ours"));
  };
}

/** The tag that keeps the connection has a time, which libp2p takes from the relay's clock: where it was negative, all failed. */
function keepTagged(reservations: ReservationStore): void {
  const { peerStore } = reservations;
  reservations.peerStore = {
    all: (query) => peerStore.all(query),
    merge: (relay, { tags }) => {
      const timed = Object.entries(tags).map(([name, tag]) => [
        name,
        tag && { ...tag, ttl: lastsMs(tag.ttl) },
      ]);
      return peerStore.merge(relay, { tags: Object.fromEntries(timed) });
    },
  };
}

/** How long a reservation holds: as told, unless that shows that one of the two clocks is wrong. */
export function lastsMs(toldMs: number): number {
  return toldMs > 0 && toldMs < RELAY_RESERVATION_TTL_MS ? toldMs : RELAY_RESERVATION_TTL_MS;
}

/** That of a connection by WebRTC has none. */
function hasHost(address: Uint8Array): boolean {
  return HOST_PROTOCOLS.has(multiaddr(address).getComponents()[0]?.name ?? "");
}

export function hasReservations(transport: object): transport is RelayTransport {
  return "reservationStore" in transport;
}

/** What the library's types don't show of its transport. */
interface RelayTransport {
  reservationStore: ReservationStore;
  /** A relay brings a circuit. */
  onStop(stream: Stream, connection: Connection): Promise<void>;
}

/** The circuit relay transport's own store, which renews a reservation after its relay came back. */
export interface ReservationStore {
  /** All that it asks of the peers that libp2p knows. */
  peerStore: {
    all(query: unknown): Promise<unknown>;
    merge(relay: PeerId, told: { tags: Record<string, Tag | undefined> }): Promise<unknown>;
  };
  addRelay(peerId: PeerId, type: "configured"): Promise<unknown>;
  hasReservation(peerId: PeerId): boolean;
  addEventListener(type: "relay:created-reservation", listener: (event: { detail: Reserved }) => void): void;
  addEventListener(type: "relay:removed", listener: (event: { detail: { relay: PeerId } }) => void): void;
}

/** `ttl`: for how many milliseconds. */
interface Tag {
  value: number;
  ttl: number;
}

export interface Reserved {
  relay: PeerId;
  details: {
    /** Renews it. */
    timeout: ReturnType<typeof setTimeout>;
    /** `expire`: in seconds since 1970, by the relay's clock. */
    reservation: { addrs: Uint8Array[]; expire: bigint };
  };
}
