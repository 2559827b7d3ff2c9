/** Shoal as an app of this device: installing it, its version, and a new one that waits. Called by settings-screen. */
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import { Section } from "./section.tsx";

export function AppSection() {
  const app = useApp();
  const { info, toasts } = app;
  const install = app.install.value;
  const update = app.update.value;
  const isInstalled = matchMedia(
    "(display-mode: standalone), (display-mode: window-controls-overlay)",
  ).matches;
  const version = info.value.value?.version;
  const ask = async () => {
    if ((await install?.()) === true) toasts.show({ text: "Shoal is installed." });
  };
  return (
    <Section
      name="app"
      title="App"
      about="Installed, Shoal has a window of its own, starts offline, and takes files that are shared with it."
    >
      {isInstalled && <p>Installed on this device.</p>}
      {!isInstalled && install !== undefined && (
        <Button icon="save" onClick={() => void ask().catch(toasts.showError)}>
          Install Shoal
        </Button>
      )}
      {!isInstalled && install === undefined && (
        <p class="quiet">
          This browser does not offer to install it just now. Look in its menu for “Install” or “Add to home
          screen”.
        </p>
      )}
      {version !== undefined && <p class="figures">Version {version}</p>}
      {update !== undefined && (
        <Button weight="main" onClick={() => update()}>
          Reload to the new version
        </Button>
      )}
    </Section>
  );
}
