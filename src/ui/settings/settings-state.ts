/** The node's settings as last heard, and how they are changed. Made by settings-screen; calls the client. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { messageOf } from "../state/toasts.ts";

export type Settings = Awaited<ReturnType<ShoalClient["settings"]>>;
export type SettingsChange = Parameters<ShoalClient["changeSettings"]>[0];
export type SettingName = keyof Settings["changeable"];

export type SettingsPhase =
  | { state: "loading" }
  | { state: "known"; settings: Settings }
  | { state: "failed"; message: string };

export interface SettingsState {
  readonly settings: ReadonlySignal<SettingsPhase>;
  refresh(): Promise<void>;
  /** All of them or none; gives the settings as they are then. @throws ShoalError */
  change(changes: SettingsChange): Promise<Settings>;
}

export function createSettingsState(client: ShoalClient): SettingsState {
  const settings = signal<SettingsPhase>({ state: "loading" });
  return {
    settings,
    async refresh() {
      try {
        settings.value = { state: "known", settings: await client.settings() };
      } catch (error) {
        settings.value = { state: "failed", message: messageOf(error) };
      }
    },
    async change(changes) {
      const changed = await client.changeSettings(changes);
      settings.value = { state: "known", settings: changed };
      return changed;
    },
  };
}

/** When a change takes effect, in words. */
export function effectText({ changeable, pending }: Settings, name: SettingName): string {
  if (pending.includes(name)) return "Changed: waits for the node's next start.";
  if (changeable[name] === "now") return "Takes effect at once.";
  if (changeable[name] === "next_start") return "Takes effect when the node starts next.";
  return "Fixed by how this node was started.";
}
