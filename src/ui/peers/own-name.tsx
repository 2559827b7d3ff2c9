/** What others see this node as, and the way to where that is changed. Called by peers-screen and the dialog that sends. */
import { PEERS_INTERVAL_MS } from "../limits.ts";
import { hrefOfSetting } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { Peer } from "../state/entries.ts";
import { usePolled } from "../state/poll.ts";
import "./own-name.css";
import { PeerName } from "./peer-name.tsx";

export type OwnName = Pick<Peer, "id" | "name">;

/** Asked for once, and anew when the node is back. */
export function useOwnName(): OwnName | undefined {
  const { client, info, phase } = useApp();
  const settings = usePolled(() => client.settings(), PEERS_INTERVAL_MS, phase.value.phase, false).value;
  const id = info.value.value?.node_id;
  return id === undefined || settings === undefined ? undefined : { id, name: settings.name };
}

/** Has its room before it is known. */
export function SeenAs({ own }: { own: OwnName | undefined }) {
  return (
    <p class="own-name quiet small">
      {own && (
        <>
          Others see you as <PeerName {...own} />.{" "}
          <a href={hrefOfSetting("node")}>
            {own.name === null ? "Give this node a name" : "Change its name"}
          </a>
        </>
      )}
    </p>
  );
}
