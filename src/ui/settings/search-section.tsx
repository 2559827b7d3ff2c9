/**
 * Search by meaning: whether files are read for it, what others are told of them, and by which model. Called by
 * settings-screen.
 */
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { SettingSwitch } from "./setting-switch.tsx";
import { optionalText, readOptional } from "./setting-texts.ts";
import type { SettingsPart } from "./settings-state.ts";

export function SearchSection(part: SettingsPart) {
  return (
    <Section
      name="search"
      title="Search"
      about="Files are found by what they are about. They are read on this device alone."
    >
      <SettingSwitch
        {...part}
        name="search"
        label="Find files by what they are about"
        about="Takes about 10 MB, fetched once. Without it, files are found by their names."
      />
      <SettingSwitch
        {...part}
        name="excerpts"
        label="Let others find my files by what they are about"
        about="Tells the swarm the first lines of each file beside its name."
      />
      <SettingForm
        {...part}
        name="search_model"
        label="Model of one's own"
        about="The folder of another ONNX text model with its tokenizer; nothing for the one that comes with Shoal."
        text={optionalText}
        read={readOptional}
        placeholder="such as models/all-MiniLM-L6-v2"
      />
    </Section>
  );
}
