/**
 * Settings: the page's look, which needs no node, then the node, its way to others, speed, search, room, webhooks, identity, and
 * the page as an app. What comes late stands below what is there. Called by the shell.
 */
import { useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { useApp } from "../state/app-state.ts";
import { AppSection } from "./app-section.tsx";
import { Appearance } from "./appearance.tsx";
import { Connections } from "./connections.tsx";
import { IdentitySection } from "./identity-section.tsx";
import { NodeSection } from "./node-section.tsx";
import { Notifications } from "./notifications.tsx";
import { PendingChanges } from "./pending-changes.tsx";
import { SearchSection } from "./search-section.tsx";
import { createSettingsState } from "./settings-state.ts";
import { Speed } from "./speed.tsx";
import { StorageSection } from "./storage-section.tsx";
import { useArrival } from "./use-arrival.ts";
import { Webhooks } from "./webhooks.tsx";
import "./settings-screen.css";

export function SettingsScreen() {
  const app = useApp();
  const state = useMemo(() => createSettingsState(app.client), [app]);
  useSignalEffect(() => {
    if (app.phase.value.phase === "running") void state.refresh();
  });
  const now = state.settings.value;
  useArrival(now.state !== "loading");
  return (
    <div class="screen settings-screen">
      <header class="screen-head">
        <h1>Settings</h1>
        <p class="quiet">Of this browser and this node. Each says what it does and from when on.</p>
      </header>
      <Appearance />
      <Notifications />
      {now.state === "loading" && (
        <p class="quiet">The node's settings appear here as soon as it has started.</p>
      )}
      {now.state === "failed" && (
        <EmptyState
          title="The node's settings are not to be had"
          actions={<Button onClick={() => void state.refresh()}>Try again</Button>}
        >
          {now.message}
        </EmptyState>
      )}
      {now.state === "known" && (
        <>
          <NodeSection state={state} settings={now.settings} />
          <Connections state={state} settings={now.settings} />
          <Speed state={state} settings={now.settings} />
          <SearchSection state={state} settings={now.settings} />
          <StorageSection state={state} settings={now.settings} first={now.surroundings.storage} />
          <Webhooks first={now.surroundings.webhooks} />
          <IdentitySection {...now.surroundings.identity} />
        </>
      )}
      {now.state !== "loading" && <AppSection />}
      {now.state === "known" && now.settings.pending.length > 0 && <PendingChanges />}
    </div>
  );
}
