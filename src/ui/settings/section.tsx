/** A part of the settings: its name and what it is about on the side, its fields beside that. Called by all parts. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./section.css";

interface SectionProps {
  title: string;
  about: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, about, children }: SectionProps) {
  const id = useId();
  return (
    <section class="settings-section" aria-labelledby={id}>
      <div class="settings-section-about">
        <h2 id={id}>{title}</h2>
        <p class="quiet small">{about}</p>
      </div>
      <div class="settings-section-fields">{children}</div>
    </section>
  );
}
