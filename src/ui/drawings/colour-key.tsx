/** Which colour stands for what in a scatter: dots with names. Called by the picture of vectors and by the map of files. */
import "./colour-key.css";

export interface KeyEntry {
  name: string;
  /** Of the theme's peer colours, from 1; 0 for what has none. */
  hue: number;
}

export function ColourKey({ entries }: { entries: readonly KeyEntry[] }) {
  return (
    <ul class="colour-key small" aria-label="Colours">
      {entries.map(({ name, hue }) => (
        <li key={name} style={{ "--dot": hue === 0 ? "var(--ink-2)" : `var(--peer-${hue})` }}>
          {name}
        </li>
      ))}
    </ul>
  );
}
