/**
 * A part of the settings: its name, which is a link to it, and what it is about on the side, its fields beside that.
 * Called by all parts.
 */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { hrefOfSetting, type SettingsSection } from "../router.ts";
import "./section.css";

interface SectionProps {
  name: SettingsSection;
  title: string;
  about: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ name, title, about, children }: SectionProps) {
  const id = useId();
  return (
    <section class="settings-section" aria-labelledby={id}>
      <div class="settings-section-about">
        <h2 id={id}>
          <a class="settings-section-link" href={hrefOfSetting(name)}>
            {title}
          </a>
        </h2>
        <p class="quiet small">{about}</p>
      </div>
      <div class="settings-section-fields">{children}</div>
    </section>
  );
}
