/** The node's name, its swarm, and what becomes of interrupted transfers. Called by settings-screen. */
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { SettingSwitch } from "./setting-switch.tsx";
import type { Settings, SettingsState } from "./settings-state.ts";

export function NodeSection({ state, settings }: { state: SettingsState; settings: Settings }) {
  return (
    <Section name="node" title="This node" about="What it is called, and which others it meets.">
      <SettingForm
        state={state}
        settings={settings}
        name="name"
        label="Name"
        about="What your peers see this node as, up to 64 letters. Without one it is two words made of its id."
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
      <SettingSwitch
        state={state}
        settings={settings}
        name="invitations"
        label="Let peers send me files"
        about="Each is shown first, and comes only if you get it."
      />
      <SettingSwitch
        state={state}
        settings={settings}
        name="auto_resume"
        label="Go on with interrupted transfers by itself"
      />
    </Section>
  );
}
