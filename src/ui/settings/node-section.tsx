/** The node's name, its swarm, and what becomes of interrupted transfers. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { effectText, type Settings, type SettingsState } from "./settings-state.ts";
import { Switch } from "./switch.tsx";

export function NodeSection({ state, settings }: { state: SettingsState; settings: Settings }) {
  const { hosting, toasts } = useApp();
  const isBusy = useSignal(false);
  const host = hosting.value;
  const canRestart = host.state === "running" && host.inThisTab;
  const setResume = async (isOn: boolean) => {
    isBusy.value = true;
    await state.change({ auto_resume: isOn }).catch(toasts.showError);
    isBusy.value = false;
  };
  return (
    <Section title="This node" about="How others see it, and which of them it meets.">
      {settings.pending.length > 0 && (
        <div class="settings-pending">
          <p>Some changes wait for the next start of the node.</p>
          {canRestart && <Button onClick={() => location.reload()}>Start it anew</Button>}
        </div>
      )}
      <SettingForm
        state={state}
        settings={settings}
        name="name"
        label="Name"
        about="What this node is called on this page, up to 64 letters."
        text={(value) => value ?? ""}
        read={(text) => ({ value: text.trim() === "" ? null : text.trim() })}
        placeholder="such as Ada's laptop"
      />
      <SettingForm
        state={state}
        settings={settings}
        name="swarm"
        label="Swarm"
        about="Nodes meet only those of the same swarm. Agree on a name of your own to keep apart from others."
        text={(value) => value}
        read={(text) =>
          text.trim() === ""
            ? { error: "A swarm has a name; main is the usual one." }
            : { value: text.trim() }
        }
      />
      <Switch
        label="Go on with interrupted transfers by itself"
        hint={effectText(settings, "auto_resume")}
        isOn={settings.auto_resume}
        disabled={isBusy.value || settings.changeable.auto_resume === undefined}
        onChange={(isOn) => void setResume(isOn)}
      />
    </Section>
  );
}
