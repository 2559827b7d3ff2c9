/** The connected peers with how, how far and how fast. Called by peers-screen. */
import { useEffect, useRef } from "preact/hooks";
import { calledName } from "../../client/called-name.ts";
import { PeerDot } from "../elements/peer-dot.tsx";
import { bytesText, countText, shortId, speedText } from "../elements/quantities.ts";
import type { Peer } from "../state/entries.ts";
import "./peer-table.css";
import { TRANSPORT_WORDS } from "./peer-words.ts";

export function PeerTable({ peers, picked }: { peers: readonly Peer[]; picked: string | undefined }) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    if (picked === undefined) return;
    table.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [picked]);
  return (
    <table class="peer-table figures" ref={table}>
      <caption class="unseen">Connected peers</caption>
      <thead>
        <tr>
          <th scope="col">Peer</th>
          <th scope="col">Connected by</th>
          <th scope="col" class="number">
            Latency
          </th>
          <th scope="col" class="number">
            Down
          </th>
          <th scope="col" class="number">
            Up
          </th>
        </tr>
      </thead>
      <tbody>
        {peers.map((peer) => (
          <tr key={peer.id} aria-current={peer.id === picked || undefined}>
            <th scope="row">
              <div class="peer-table-who">
                <PeerDot peerId={peer.id} />
                <span>
                  <bdi class="peer-table-name">{calledName(peer)}</bdi>
                  <code title={peer.id} class="quiet small">
                    {shortId(peer.id)}
                  </code>
                  <span class="quiet small">
                    {peer.in_swarm === false
                      ? "not known in your swarm"
                      : countText(peer.files_available, "file")}
                    {peer.relay && " · relays for others"}
                  </span>
                </span>
              </div>
            </th>
            <td data-label="Connected by">
              {TRANSPORT_WORDS[peer.transport]}
              <span class="quiet small">{addressText(peer.address)}</span>
            </td>
            <td class="number" data-label="Latency">
              {peer.latency_ms === null ? (
                <span class="quiet">measuring</span>
              ) : (
                `${Math.max(1, Math.round(peer.latency_ms))} ms`
              )}
            </td>
            <td class="number" data-label="Down">
              {speedText(peer.download_speed)}
              <span class="quiet small">{bytesText(peer.downloaded)} in all</span>
            </td>
            <td class="number" data-label="Up">
              {speedText(peer.upload_speed)}
              <span class="quiet small">{bytesText(peer.uploaded)} in all</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Browsers keep some addresses to themselves, under a name that nobody should read. */
function addressText(address: string): string {
  return address.startsWith("redacted-ip.invalid") ? "address hidden by its browser" : address;
}
