/** The node's name, its swarm, and what becomes of interrupted transfers. Called by settings-screen. */
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { SettingSwitch } from "./setting-switch.tsx";
import { optionalText, readOptional } from "./setting-texts.ts";
import type { SettingsPart } from "./settings-state.ts";

export function NodeSection(part: SettingsPart) {
  return (
    <Section name="node" title="This node" about="What it is called, and which others it meets.">
      <SettingForm
        {...part}
        name="name"
        label="Name"
        about="What your peers see this node as, up to 64 letters. Without one it is two words made of its id."
        text={optionalText}
        read={readOptional}
        placeholder="such as Ada's laptop"
      />
      <SettingForm
        {...part}
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
        {...part}
        name="invitations"
        label="Let peers send me files"
        about="Each is shown first, and comes only if you get it."
      />
      <SettingSwitch {...part} name="auto_resume" label="Go on with interrupted transfers by itself" />
    </Section>
  );
}
