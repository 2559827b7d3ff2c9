/**
 * Keeps reservations on the first relays met, and on others in place of those that are gone, met before or after, so that this
 * node can be reached through them. One that has no place to give is asked again. A libp2p service, made by libp2p-node; listens
 * on `<relay>/p2p-circuit` for each, by relay-transport.
 * (Listening on a bare `/p2p-circuit` would search for relays by random walks in the DHT without end.)
 */
import { RELAY_V2_HOP_CODEC } from "@libp2p/circuit-relay-v2";
import type { Connection, PeerId, Topology } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import { cappedMessages } from "../libp2p/capped-streams.ts";
import type { NetworkLog } from "../network-log.ts";
import { MAX_RELAY_MESSAGE_BYTES, MAX_RELAYS_USED, RELAY_RENEWAL_MIN_MS } from "./limits.ts";
import { hasReservations, lastsMs, type ReservationStore, type Reserved } from "./relay-transport.ts";

/** The parts of libp2p that a service is given and this one uses. */
export interface RelayClientComponents {
  registrar: {
    register(protocol: string, topology: Topology): Promise<string>;
    unregister(id: string): void;
  };
  transportManager: {
    listen(addresses: Multiaddr[]): Promise<void>;
    getTransports(): object[];
    getListeners(): object[];
  };
}

/** What the library's types don't show of its listener: whose reservations it listens for. */
interface RelayListener {
  relay: PeerId | undefined;
}

function isOfRelay(listener: object): listener is RelayListener {
  return "relay" in listener;
}

export class RelayClient {
  readonly #components: RelayClientComponents;
  readonly #log: NetworkLog;
  /**
   * Relays listened on, by peer id; a listener outlives the connection and is used again, for another relay where that
   * is gone.
   */
  readonly #relays = new Set<string>();
  /** Those that are being asked for a reservation. */
  readonly #asked = new Set<string>();
  /** Those that are connected and have no place, or not yet, in the order in which they were met. */
  readonly #spare = new Map<string, Connection>();
  /** Connections that were told of, until their relay ends its service. */
  readonly #met = new WeakSet<Connection>();
  readonly #capped = new WeakSet<Connection>();
  /** All that are connected. */
  readonly #connected = new Map<string, Connection>();
  /** Those of them that gave no place, or took it back, until they are asked again. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>();
  #topologyId: string | undefined;

  constructor(components: RelayClientComponents, log: NetworkLog) {
    this.#components = components;
    this.#log = log;
  }

  async start(): Promise<void> {
    const reservations = this.#reservations();
    if (reservations === undefined) return;
    reservations.addEventListener("relay:created-reservation", ({ detail }) => this.#renewInTime(detail));
    // Once its listener has heard of it, too.
    reservations.addEventListener("relay:removed", ({ detail: { relay } }) =>
      queueMicrotask(() => {
        this.#askLater(relay.toString());
        this.#useSpare();
      }),
    );
    this.#topologyId = await this.#components.registrar.register(RELAY_V2_HOP_CODEC, {
      // Not waited for: until it has settled, libp2p tells nobody else of the peer.
      onConnect: (peerId, connection) => void this.#meet(peerId, connection),
      onDisconnect: (peerId) => this.#part(peerId.toString()),
    });
  }

  stop(): void {
    if (this.#topologyId !== undefined) this.#components.registrar.unregister(this.#topologyId);
    for (const relay of [...this.#connected.keys()]) this.#part(relay);
  }

  async #meet(peerId: PeerId, connection: Connection): Promise<void> {
    // Libp2p tells of one protocol after the other: of who has gone by then, nobody would hear that it has.
    if (!connection.direct || connection.status !== "open") return;
    this.#connected.set(peerId.toString(), connection);
    // Libp2p tells of it again whenever the peer says something of itself.
    if (this.#met.has(connection)) return;
    this.#met.add(connection);
    if (!this.#capped.has(connection)) capAnswers(connection);
    this.#capped.add(connection);
    await this.#use(peerId, connection);
  }

  #part(relay: string): void {
    const connection = this.#connected.get(relay);
    // It may serve again on the same connection.
    if (connection !== undefined) this.#met.delete(connection);
    this.#spare.delete(relay);
    this.#connected.delete(relay);
    clearTimeout(this.#resting.get(relay));
    this.#resting.delete(relay);
  }

  async #use(peerId: PeerId, connection: Connection): Promise<void> {
    const relay = peerId.toString();
    // A listener that found the place taken meanwhile would tell nobody of it.
    const isAsked = this.#asked.has(relay);
    const isKnown = this.#relays.has(relay) || this.#takesOver(peerId);
    if (isAsked || (!isKnown && this.#relays.size >= MAX_RELAYS_USED)) {
      this.#spare.set(relay, connection);
      return;
    }
    this.#relays.add(relay);
    this.#asked.add(relay);
    try {
      if (isKnown) await this.#reservations()?.addRelay(peerId, "configured");
      else
        await this.#components.transportManager.listen([connection.remoteAddr.encapsulate("/p2p-circuit")]);
      this.#spare.delete(relay);
    } catch (error) {
      if (!isKnown) this.#relays.delete(relay);
      this.#log("no reservation on relay", { relay, error });
      this.#askLater(relay);
    } finally {
      this.#asked.delete(relay);
    }
    // One may have gone, or this one's place be free again, since others were met.
    this.#useSpare();
  }

  /**
   * A relay may have all places taken, or be too busy to answer in time; and a place goes with the connection by which
   * it was taken, where there may be another. Not at once: a relay that is ending counts as connected for a moment.
   */
  #askLater(relay: string): void {
    const connection = this.#connected.get(relay);
    if (connection === undefined || this.#resting.has(relay)) return;
    const askAgain = () => {
      this.#resting.delete(relay);
      void this.#use(connection.remotePeer, connection);
    };
    this.#resting.set(relay, setTimeout(askAgain, RELAY_RENEWAL_MIN_MS));
  }

  /**
   * When half of its time is over. The library goes by the machine's clock, which may be another than the relay's, or set back
   * meanwhile: it renewed too late, or found that there was time left, and never did.
   */
  #renewInTime({ relay, details }: Reserved): void {
    const leftMs = lastsMs(Number(details.reservation.expire) * 1000 - Date.now());
    // What ended long ago is renewed by any clock.
    details.reservation.expire = 0n;
    clearTimeout(details.timeout);
    details.timeout = setTimeout(() => void this.#renew(relay), Math.max(leftMs / 2, RELAY_RENEWAL_MIN_MS));
  }

  async #renew(relay: PeerId): Promise<void> {
    try {
      await this.#reservations()?.addRelay(relay, "configured");
    } catch (error) {
      this.#log("no reservation on relay", { relay: relay.toString(), error });
    }
  }

  /** Who was met when all places were taken has one that is free by now. */
  #useSpare(): void {
    const [first] = this.#spare;
    if (first === undefined) return;
    const [relay, connection] = first;
    if (this.#relays.size >= MAX_RELAYS_USED && this.#forsaken() === undefined) return;
    this.#spare.delete(relay);
    void this.#use(connection.remotePeer, connection);
  }

  /** Where all places are taken, one of them by a relay that is gone: the listener there is the other's from now on. */
  #takesOver(peerId: PeerId): boolean {
    if (this.#relays.size < MAX_RELAYS_USED) return false;
    const listener = this.#forsaken();
    if (listener?.relay === undefined) return false;
    this.#relays.delete(listener.relay.toString());
    listener.relay = peerId;
    return true;
  }

  /** A listener whose relay is gone. */
  #forsaken(): RelayListener | undefined {
    const listeners = this.#components.transportManager.getListeners().filter(isOfRelay);
    return listeners.find(({ relay }) => {
      if (relay === undefined || this.#asked.has(relay.toString())) return false;
      return this.#reservations()?.hasReservation(relay) === false;
    });
  }

  #reservations(): ReservationStore | undefined {
    for (const transport of this.#components.transportManager.getTransports()) {
      if (hasReservations(transport)) return transport.reservationStore;
    }
    return undefined;
  }
}

/** Of a relay, which any peer may say it is: the library would take thousands of addresses to be reached at. */
function capAnswers(connection: Connection): void {
  const newStream = connection.newStream.bind(connection);
  connection.newStream = async (protocols, options) => {
    const stream = await newStream(protocols, options);
    if (stream.protocol !== RELAY_V2_HOP_CODEC) return stream;
    return cappedMessages(stream, MAX_RELAY_MESSAGE_BYTES);
  };
}
