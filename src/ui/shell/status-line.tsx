/** One line that says what the node is doing. Called by the shell; read aloud when its state changes, not its speeds. */
import { Icon } from "../elements/icon.tsx";
import { countText, speedText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { inSwarm } from "../state/entries.ts";
import { useOffline } from "../state/use-offline.ts";
import "./status-line.css";

export function StatusLine() {
  const { phase, peers, traffic } = useApp();
  const isOffline = useOffline();
  const now = phase.value;
  const peerCount = inSwarm(peers.value.value ?? []).length;
  const isAlone = now.phase === "running" && peerCount === 0;
  const { downBytesPerSecond, upBytesPerSecond } = traffic.latest.value;
  return (
    <div class={`status-line ${now.phase}${isAlone ? " alone" : ""}`}>
      <p role="status">
        <span class="status-dot" aria-hidden="true" />
        {now.phase === "starting" && `${now.step}…`}
        {now.phase === "reconnecting" && "Reconnecting…"}
        {now.phase === "failed" && "Not running"}
        {isAlone && (isOffline ? "Offline" : "Looking for peers")}
        {now.phase === "running" && !isAlone && countText(peerCount, "peer")}
      </p>
      {now.phase === "running" && (
        <p class="status-speeds figures small quiet">
          <span>
            <Icon name="down" size={14} />
            <span class="unseen">Down </span>
            {speedText(downBytesPerSecond)}
          </span>
          <span>
            <Icon name="up" size={14} />
            <span class="unseen">Up </span>
            {speedText(upBytesPerSecond)}
          </span>
        </p>
      )}
    </div>
  );
}
