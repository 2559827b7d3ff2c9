/** The page's user interface: everything a person sees. Called by browser/main and by tests, with a host; calls the shell. */
import { render } from "preact";
import "./theme.css";
import "./base.css";
import type { UiHost } from "./ports.ts";
import { Shell } from "./shell/shell.tsx";
import { AppStateProvider, createAppState } from "./state/app-state.ts";
import { applyTheme, chosenTheme } from "./theme-choice.ts";

/** Draws the page and keeps it true until the function returned is called. */
export function mountApp(root: HTMLElement, host: UiHost): () => void {
  const stop = new AbortController();
  applyTheme(chosenTheme());
  const state = createAppState(host, window, stop.signal);
  root.replaceChildren();
  render(
    <AppStateProvider value={state}>
      <Shell />
    </AppStateProvider>,
    root,
  );
  return () => {
    stop.abort();
    render(null, root);
  };
}
