/**
 * What a page that is opened here needs to find the swarm, served as /shoal.json: the addresses of this node that a
 * page can dial, as they are reached from where the page's host name leads. Called by web-app.
 *
 *   {"swarm": "main", "node_id": "12D3...", "bootstrap": ["/ip4/..."], "relays": ["/ip4/..."], "ice_servers": [{"urls": "stun:..."}],
 *    "search": true}
 *
 * `relays` is empty unless this node relays. The port that serves the page takes WebSockets of the swarm too; a page
 * knows that address by itself, since a proxy may stand between. `search`: whether pages read their files for search by
 * meaning unless a person chooses otherwise.
 */
import { multiaddr } from "@multiformats/multiaddr";
import { withoutBrackets } from "../../sharing/ip-address.ts";
import { MAX_PAGE_ADDRESSES } from "../limits.ts";
import { isAnyHost, isLoopback } from "../loopback.ts";
import { stunUrl } from "../network/relay-stun.ts";

export interface ReachableNode {
  swarm: string;
  nodeId: string;
  /** Multiaddrs at which the node is reached now. */
  addresses(): string[];
  isRelay: boolean;
  /** URLs of STUN and TURN servers from the settings. */
  iceServers: readonly string[];
  /** Where this node answers STUN, if it does; `host` may be that of all interfaces. */
  stun: { host: string; port: number } | undefined;
  /** Whether this node searches by meaning, which its pages take as their default. */
  hasSearch: boolean;
}

export interface ShoalJson {
  swarm: string;
  node_id: string;
  bootstrap: string[];
  relays: string[];
  ice_servers: { urls: string }[];
  search: boolean;
}

/** `hostname`: of the URL by which the page was opened, IPv6 in brackets. */
export function shoalJson(node: ReachableNode, hostname: string): ShoalJson {
  const host = withoutBrackets(hostname);
  const dialable = node
    .addresses()
    .filter(isPageTransport)
    .map((address) => ({ address, distance: distanceFrom(host, hostOf(address)) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ address }) => address)
    .slice(0, MAX_PAGE_ADDRESSES);
  return {
    swarm: node.swarm,
    node_id: node.nodeId,
    bootstrap: dialable,
    relays: node.isRelay ? dialable : [],
    ice_servers: [...ownStun(node.stun, host), ...node.iceServers].map((urls) => ({ urls })),
    search: node.hasSearch,
  };
}

/** Pages dial WebSockets and WebRTC-direct; what leads through another relay is that relay's to tell. */
function isPageTransport(address: string): boolean {
  const parts = multiaddr(address)
    .getComponents()
    .map((part) => part.name);
  return (parts.includes("ws") || parts.includes("webrtc-direct")) && !parts.includes("p2p-circuit");
}

/** The same address first, then those of other networks; loopback last, unless the page is on this machine. */
function distanceFrom(pageHost: string, host: string): number {
  if (isLoopback(pageHost)) return isLoopback(host) ? 0 : 1;
  if (host === pageHost) return 0;
  return isLoopback(host) ? 2 : 1;
}

function hostOf(address: string): string {
  return multiaddr(address).getComponents()[0]?.value ?? "";
}

/** On this machine a page has nothing to learn from it, and what it would be told is a loopback address. */
function ownStun(stun: ReachableNode["stun"], pageHost: string): string[] {
  if (stun === undefined || isLoopback(pageHost)) return [];
  const host = isAnyHost(stun.host) ? pageHost : stun.host;
  return isLoopback(host) ? [] : [stunUrl(host, stun.port)];
}
