/**
 * The node's settings as last heard, and how they are changed; with them what else the screen is drawn from, so that nothing
 * of it comes later and moves what stands below. Made by settings-screen; calls the client.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { messageOf } from "../state/toasts.ts";

export type Settings = Awaited<ReturnType<ShoalClient["settings"]>>;
export type SettingsChange = Parameters<ShoalClient["changeSettings"]>[0];
export type SettingName = keyof Settings["changeable"];

export type Storage = Awaited<ReturnType<ShoalClient["storage"]>>;
export type Webhook = Awaited<ReturnType<ShoalClient["webhooks"]>>["webhooks"][number];

export interface Identity {
  nodeId: string;
  /** False on hosts that keep their key to themselves. */
  isOffered: boolean;
}

export interface Surroundings {
  /** Undefined where the host can't tell. */
  storage: Storage | undefined;
  webhooks: readonly Webhook[];
  identity: Identity;
}

export type SettingsPhase =
  | { state: "loading" }
  | { state: "known"; settings: Settings; surroundings: Surroundings }
  | { state: "failed"; message: string };

export interface SettingsState {
  readonly settings: ReadonlySignal<SettingsPhase>;
  /** What is known stays where the node can't tell now: forms that somebody has typed in stand on it. */
  refresh(): Promise<void>;
  /** All of them or none; gives the settings as they are then. @throws ShoalError */
  change(changes: SettingsChange): Promise<Settings>;
}

/** What the parts of the screen that have settings are given. */
export interface SettingsPart {
  state: SettingsState;
  settings: Settings;
}

export function createSettingsState(client: ShoalClient): SettingsState {
  const settings = signal<SettingsPhase>({ state: "loading" });
  return {
    settings,
    async refresh() {
      try {
        const [heard, surroundings] = await Promise.all([client.settings(), surroundingsOf(client)]);
        settings.value = { state: "known", settings: heard, surroundings };
      } catch (error) {
        if (settings.value.state === "known") return;
        settings.value = { state: "failed", message: messageOf(error) };
      }
    },
    async change(changes) {
      const changed = await client.changeSettings(changes);
      const now = settings.value;
      if (now.state === "known") settings.value = { ...now, settings: changed };
      return changed;
    },
  };
}

async function surroundingsOf(client: ShoalClient): Promise<Surroundings> {
  const [storage, { webhooks }, { node_id: nodeId }, isOffered] = await Promise.all([
    client.storage().catch(() => undefined),
    client.webhooks(),
    client.nodeInfo(),
    client.identity().then(
      () => true,
      (error: unknown) => {
        if (error instanceof ShoalError && error.status === 404) return false;
        throw error;
      },
    ),
  ]);
  return { storage, webhooks, identity: { nodeId, isOffered } };
}

/** When a change takes effect, in words. */
export function effectText({ changeable, pending }: Settings, name: SettingName): string {
  if (pending.includes(name)) return "Changed: waits for the node's next start.";
  if (changeable[name] === "now") return "Takes effect at once.";
  if (changeable[name] === "next_start") return "Takes effect when the node starts next.";
  return "Fixed by how this node was started.";
}
