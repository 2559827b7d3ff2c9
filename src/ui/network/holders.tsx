/** How much a file or folder is that others offer, and who has it. Called by the rows of the network. */
import type { ComponentChildren } from "preact";
import { PeerDot } from "../elements/peer-dot.tsx";
import { countText } from "../elements/quantities.ts";
import { HolderNames } from "../peers/holder-names.tsx";
import { holdersText } from "../peers/holder-words.ts";
import { useApp } from "../state/app-state.ts";
import "./holders.css";

/** Dots drawn; the number beside them tells the rest. */
const MAX_DOTS = 5;

interface HoldersProps {
  peers: readonly string[];
  /** How much it is. */
  children: ComponentChildren;
}

export function Holders({ peers, children }: HoldersProps) {
  const { peerNames } = useApp();
  return (
    <span class="small quiet figures holders" title={holdersText(peers, peerNames.value)}>
      {children} · <HolderNames ids={peers} before="from " count={countText(peers.length, "holder")} />{" "}
      <span class="holders-dots" aria-hidden="true">
        {peers.slice(0, MAX_DOTS).map((peer) => (
          <PeerDot key={peer} peerId={peer} />
        ))}
      </span>
    </span>
  );
}
