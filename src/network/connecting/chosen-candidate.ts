/**
 * Where the other end of a WebRTC connection is: the remote candidate of the pair that ICE chose. Called by
 * connected-peers. Chromium and Node.js tell at once; Firefox has no `getSelectedCandidatePair` and tells in its
 * statistics alone. libp2p keeps the RTCPeerConnection in a field that its types don't show. Source: WebRTC, section
 * 5.6; WebRTC Statistics, `transport`, which Firefox 140 does not have: it says `selected` of the pair.
 */
import type { Connection } from "@libp2p/interface";
import { withoutBrackets } from "../../sharing/ip-address.ts";
import { joinHostPort } from "./remote-address.ts";

/** Chromium's word for an address that the page was not told. A host of this name is nowhere (RFC 6761, section 6.4). */
export const HIDDEN_HOST = "redacted-ip.invalid";

interface Candidate {
  address?: string | null;
  port?: number | null;
}

/** Those fields of a transport, a pair or a candidate that are read here. */
interface Entry extends Candidate {
  type: string;
  selectedCandidatePairId?: string;
  selected?: boolean;
  remoteCandidateId?: string;
}

interface Statistics {
  get(id: string): Entry | undefined;
  values(): Iterable<Entry>;
}

interface WithPeerConnection {
  maConn?: {
    peerConnection?: {
      sctp?: {
        transport?: { iceTransport?: { getSelectedCandidatePair?: () => { remote?: Candidate } | null } };
      } | null;
      getStats(): Promise<Statistics>;
    };
  };
}

/** host:port; undefined where the engine does not tell at once, or hides it. */
export function chosenCandidate(connection: Connection): string | undefined {
  const { sctp } = peerConnectionOf(connection) ?? {};
  return textOf(sctp?.transport?.iceTransport?.getSelectedCandidatePair?.()?.remote);
}

/** The same from the statistics. */
export async function measuredCandidate(connection: Connection): Promise<string | undefined> {
  const statistics = await peerConnectionOf(connection)?.getStats();
  if (statistics === undefined) return undefined;
  const all = [...statistics.values()];
  const pairId = all.find(({ type }) => type === "transport")?.selectedCandidatePairId;
  const pair = pairId === undefined ? all.find(({ selected }) => selected) : statistics.get(pairId);
  return pair?.remoteCandidateId && textOf(statistics.get(pair.remoteCandidateId));
}

function peerConnectionOf(connection: Connection) {
  return (connection as WithPeerConnection).maConn?.peerConnection;
}

function textOf({ address, port }: Candidate = {}): string | undefined {
  if (!address || !port || isHidden(address)) return undefined;
  // Chromium writes IPv6 in brackets already.
  return joinHostPort(withoutBrackets(address), port);
}

/** A name for one connection that only mDNS resolves is as good as none. Source: draft-ietf-mmusic-mdns-ice-candidates. */
function isHidden(address: string): boolean {
  return address === HIDDEN_HOST || address.endsWith(".local");
}
