/** Light, dark, or as the system has it: kept for this browser. Called at the start and by the settings. */
import { remember, remembered } from "./remembered.ts";

export type Theme = "system" | "light" | "dark";

const KEY = "shoal-theme";

export function chosenTheme(): Theme {
  const kept = remembered(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  remember(KEY, theme === "system" ? undefined : theme);
}
