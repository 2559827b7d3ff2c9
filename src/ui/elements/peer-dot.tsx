/** A dot in the colour that a peer has everywhere on the page. Decoration: a name or a number stands beside it. */
import { peerColour } from "../drawings/peer-colours.ts";
import "./peer-dot.css";

export function PeerDot({ peerId }: { peerId: string }) {
  return <span class="peer-dot" style={{ background: peerColour(peerId) }} aria-hidden="true" />;
}
