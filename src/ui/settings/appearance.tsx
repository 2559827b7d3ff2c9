/** Light, dark, or as the system has it. Called by settings-screen; calls theme-choice. */
import { useSignal } from "@preact/signals";
import { chooseTheme, chosenTheme, type Theme } from "../theme-choice.ts";
import { Section } from "./section.tsx";
import "./appearance.css";

const NAMES: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

export function Appearance() {
  const theme = useSignal<Theme>(chosenTheme());
  return (
    <Section name="appearance" title="Appearance" about="For this browser, at once.">
      <fieldset class="appearance">
        <legend class="unseen">Theme</legend>
        {(Object.keys(NAMES) as Theme[]).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="theme"
              checked={theme.value === name}
              onChange={() => {
                chooseTheme(name);
                theme.value = name;
              }}
            />
            <span class={`appearance-sample ${name}`} aria-hidden="true" />
            {NAMES[name]}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
