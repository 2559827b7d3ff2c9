/**
 * A chart of the swarm: this node in the middle, its peers around it, a line by transport, and on the line what flows.
 * Called by the screen of peers; calls swarm-layout. Peers are buttons, so that keyboard and screen reader reach them.
 */
import type { CSSProperties } from "preact";
import type { Peer } from "../state/entries.ts";
import { peerColour } from "./peer-colours.ts";
import { flowStrength, type Place, placesOf } from "./swarm-layout.ts";
import "./swarm-map.css";

type Transport = Peer["transport"];

export interface SwarmPeer {
  id: string;
  /** What it is called. */
  name: string;
  transport: Transport;
  uploadBytesPerSecond: number;
  downloadBytesPerSecond: number;
}

interface SwarmMapProps {
  /** What this node is called. */
  self: string;
  peers: readonly SwarmPeer[];
  picked?: string | undefined;
  onPick: (peerId: string) => void;
}

const TRANSPORT_NAMES: Record<Transport, string> = {
  tcp: "TCP",
  websocket: "WebSocket",
  webrtc: "WebRTC",
  "webrtc-direct": "WebRTC direct",
  relay: "Relay",
};

/** With more peers than this a narrow chart has dots without names; the list beside it has the names. */
const MAX_NAMED_WHERE_NARROW = 7;

/** Contour lines around the node, as shares of the drawing. */
const CONTOURS = [0.2, 0.4, 0.6, 0.8, 1];

export function SwarmMap({ self, peers, picked, onPick }: SwarmMapProps) {
  const places = placesOf(peers.map(({ id }) => id));
  const drawn = peers.flatMap((peer) => {
    const place = places.get(peer.id);
    return place === undefined ? [] : [{ peer, place }];
  });
  const transports = [...new Set(peers.map(({ transport }) => transport))].sort();
  return (
    <figure class="swarm-map" aria-label="Map of the swarm">
      <div class="swarm-map-chart" data-crowded={drawn.length > MAX_NAMED_WHERE_NARROW}>
        <svg viewBox="-1 -1 2 2" preserveAspectRatio="none" aria-hidden="true">
          {CONTOURS.map((radius) => (
            <ellipse key={radius} class="swarm-map-contour" rx={radius} ry={radius} />
          ))}
          {drawn.map(({ peer, place }) => (
            <Link key={peer.id} peer={peer} place={place} />
          ))}
        </svg>
        <bdi class="swarm-map-self" title={self}>
          {self}
        </bdi>
        <ul aria-label="Connected peers">
          {drawn.map(({ peer, place }) => (
            <li key={peer.id} style={styleOf(peer, place)}>
              {/* As a label, since words in boxes of their own are read with a space between them. */}
              <button
                type="button"
                aria-label={`${peer.name}, by ${TRANSPORT_NAMES[peer.transport]}`}
                aria-pressed={peer.id === picked}
                onClick={() => onPick(peer.id)}
              >
                <span class="swarm-map-dot" />
                <bdi class="swarm-map-name">{peer.name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <figcaption>
        {transports.map((transport) => (
          <span key={transport} class="swarm-map-key">
            <svg viewBox="0 0 28 8" aria-hidden="true">
              <path class="swarm-map-line" data-transport={transport} d="M0 4H28" />
            </svg>
            {TRANSPORT_NAMES[transport]}
          </span>
        ))}
        {drawn.length < peers.length && <span>and {peers.length - drawn.length} more, in the list</span>}
      </figcaption>
    </figure>
  );
}

/** Incoming and outgoing flow bend apart, so that both are seen. */
function Link({ peer, place: { x, y } }: { peer: SwarmPeer; place: Place }) {
  const bend = 0.07;
  const inward = `M${x} ${y}Q${x / 2 - y * bend} ${y / 2 + x * bend} 0 0`;
  const outward = `M0 0Q${x / 2 + y * bend} ${y / 2 - x * bend} ${x} ${y}`;
  return (
    <g style={{ color: peerColour(peer.id) }}>
      <path class="swarm-map-line" data-transport={peer.transport} d={`M${x} ${y}L0 0`} />
      <path class="swarm-map-flow" data-strength={flowStrength(peer.downloadBytesPerSecond)} d={inward} />
      <path class="swarm-map-flow" data-strength={flowStrength(peer.uploadBytesPerSecond)} d={outward} />
    </g>
  );
}

function styleOf({ id }: SwarmPeer, { x, y }: Place): CSSProperties {
  // A name reaches as far to either side as the nearer edge is away.
  const room = `${100 * (1 - Math.abs(x))}cqi`;
  return { left: `${50 + x * 50}%`, top: `${50 + y * 50}%`, "--dot": peerColour(id), "--room": room };
}
