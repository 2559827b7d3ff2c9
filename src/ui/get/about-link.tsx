/** What a link says, and who has what it names, for who wants to know more. Called by get-screen. */
import { PeerDot } from "../elements/peer-dot.tsx";
import type { FileLink } from "../links.ts";
import { listedHolders } from "../peers/holder-words.ts";
import { PeerName } from "../peers/peer-name.tsx";
import { useApp } from "../state/app-state.ts";
import "./about-link.css";

interface AboutLinkProps {
  link: FileLink;
  /** As the screen has it. */
  name: string;
  /** Peers that offer it. */
  holders: readonly string[];
}

export function AboutLink({ link, name, holders }: AboutLinkProps) {
  return (
    <details class="about-link small">
      <summary>About this link</summary>
      <dl>
        <dt>Name</dt>
        <dd class="about-link-name">
          <bdi>{name}</bdi>
        </dd>
        <dt>File id</dt>
        <dd>
          <code>{link.fileId}</code>
        </dd>
        {holders.length > 0 && (
          <>
            <dt>Peers who have it</dt>
            <dd>
              <HolderList ids={holders} />
            </dd>
          </>
        )}
        <dt>Addresses in the link</dt>
        <dd>
          {link.addresses.length === 0
            ? "None. The file is looked for among the peers that this node knows."
            : link.addresses.map((address) => <code key={address}>{address}</code>)}
        </dd>
      </dl>
      <p class="quiet">
        The id is made from the bytes themselves: whatever comes is checked against it, so nobody can hand you
        another file under this link. The name is only what the sender wrote.
      </p>
    </details>
  );
}

function HolderList({ ids }: { ids: readonly string[] }) {
  const { holders, more } = listedHolders(ids, useApp().peerNames.value);
  return (
    <ul class="about-link-holders">
      {holders.map((holder) => (
        <li key={holder.id}>
          <PeerDot peerId={holder.id} /> <PeerName {...holder} />
        </li>
      ))}
      {more > 0 && <li class="quiet">and {more} more</li>}
    </ul>
  );
}
