/**
 * Peers: how to connect to one more, who is connected, how, how fast, as a map and as a list. What a person acts on
 * stands first, so that nothing moves it when peers come and go. Called by the shell.
 */
import { useComputed, useSignal } from "@preact/signals";
import { calledName } from "../../client/called-name.ts";
import { SwarmMap } from "../drawings/swarm-map.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { countText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { inSwarm } from "../state/entries.ts";
import { ConnectForm } from "./connect-form.tsx";
import { withoutLists } from "./offered-count.ts";
import { OwnAddresses } from "./own-addresses.tsx";
import { SeenAs, useOwnName } from "./own-name.tsx";
import { PeerTable } from "./peer-table.tsx";
import "./peers-screen.css";

export function PeersScreen() {
  const { peers, network, info } = useApp();
  const own = useOwnName();
  const picked = useSignal<string | undefined>(undefined);
  const all = useComputed(
    () => peers.value.value && withoutLists(peers.value.value, network.value.value ?? []),
  ).value;
  const swarm = info.value.value?.swarm;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Peers</h1>
        {all !== undefined && all.length > 0 && (
          <p class="quiet">
            {countText(inSwarm(all).length, "peer")}
            {swarm !== undefined && ` in the swarm “${swarm}”`}
          </p>
        )}
      </header>
      <SeenAs own={own} />
      <ConnectForm />
      <OwnAddresses />
      {all === undefined && <p class="quiet">Your peers appear here as soon as the node has started.</p>}
      {all?.length === 0 && (
        <EmptyState title="Nobody is connected">
          <p>
            Peers are found through the addresses in links, through the host that served this page, and
            through each other. Open a link, or connect to an address above. Whoever opens one of your links
            shows up here by themselves.
          </p>
        </EmptyState>
      )}
      {all !== undefined && all.length > 0 && (
        <div class="peers-who">
          <SwarmMap
            self={own?.name ?? "You"}
            peers={all.map((peer) => ({
              id: peer.id,
              name: calledName(peer),
              transport: peer.transport,
              uploadBytesPerSecond: peer.upload_speed,
              downloadBytesPerSecond: peer.download_speed,
            }))}
            picked={picked.value}
            onPick={(id) => {
              picked.value = picked.value === id ? undefined : id;
            }}
          />
          <PeerTable peers={all} picked={picked.value} />
        </div>
      )}
    </div>
  );
}
