/**
 * libp2p's circuit relay server, tuned by limits.ts, for whom it keeps a place only while they are connected, as the protocol
 * has it: the library keeps each for its hour, so that one host under ever new ids had all of them in seconds. And it reads no
 * longer messages than there are. Made by libp2p-node with `relayServer`.
 * Source: https://github.com/libp2p/specs/blob/master/relay/circuit-v2.md#reservation
 */
import { type CircuitRelayService, circuitRelayServer } from "@libp2p/circuit-relay-v2";
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { cappedMessages } from "../libp2p/capped-streams.ts";
import { circuitEnd } from "./circuit-end.ts";
import {
  MAX_RELAY_MESSAGE_BYTES,
  MAX_RELAY_RESERVATIONS,
  MAX_RELAY_STREAMS_PER_CONNECTION,
  RELAY_HOP_TIMEOUT_MS,
  RELAY_RESERVATION_TTL_MS,
} from "./limits.ts";

type Components = Parameters<ReturnType<typeof circuitRelayServer>>[0] & {
  events: { addEventListener(type: "peer:disconnect", heard: (event: CustomEvent<PeerId>) => void): void };
};

/** What the library's types don't show of it. */
interface Server extends CircuitRelayService {
  onHop(stream: Stream, connection: Connection): Promise<void>;
  /** Joins with the stream of who is wanted, which stopHop gives, that of who asked. */
  handleConnect(asked: { stream: AskedStream }, options: unknown): Promise<void>;
  stopHop(...asked: unknown[]): Promise<Stream | undefined>;
}

interface AskedStream {
  pb(codec: unknown): unknown;
  unwrap(): Stream;
}

export function relayServer(): (components: Components) => CircuitRelayService {
  const create = circuitRelayServer({
    hopTimeout: RELAY_HOP_TIMEOUT_MS,
    maxInboundHopStreams: MAX_RELAY_STREAMS_PER_CONNECTION,
    maxOutboundHopStreams: MAX_RELAY_STREAMS_PER_CONNECTION,
    maxOutboundStopStreams: MAX_RELAY_STREAMS_PER_CONNECTION,
    reservations: {
      maxReservations: MAX_RELAY_RESERVATIONS,
      reservationTtl: RELAY_RESERVATION_TTL_MS,
      // The default, 128 KiB and two minutes a circuit, is for hole punching; here whole files may pass.
      applyDefaultLimit: false,
    },
  });
  return (components) => {
    const server = create(components) as Server;
    const answer = server.onHop;
    server.onHop = (stream, connection) =>
      answer(cappedMessages(stream, MAX_RELAY_MESSAGE_BYTES), connection);
    joinByEnds(server);
    components.events.addEventListener("peer:disconnect", ({ detail }) => {
      // At its end it would take away the place of whoever is back under that id.
      server.reservations.get(detail)?.signal.clear();
      server.reservations.delete(detail);
    });
    return server;
  };
}

/** The library has the ends of a circuit in place of their streams, of which it knows no more. */
function joinByEnds(server: Server): void {
  const connect = server.handleConnect.bind(server);
  const stopHop = server.stopHop.bind(server);
  server.handleConnect = ({ stream, ...asked }, options) => {
    const asker = {
      pb: (codec: unknown) => stream.pb(codec),
      unwrap: () => circuitEnd(stream.unwrap()) as unknown as Stream,
    };
    return connect({ ...asked, stream: asker }, options);
  };
  server.stopHop = async (...asked) => {
    const stream = await stopHop(...asked);
    return stream && (circuitEnd(stream) as unknown as Stream);
  };
}
