/** What is in the way, and the next step, on the colour of warnings. Called by the screens. */
import type { ComponentChildren } from "preact";
import "./advice.css";
import { OptionWords } from "./option-words.tsx";

export function Advice({ children }: { children: ComponentChildren }) {
  return (
    <p class="advice small">{typeof children === "string" ? <OptionWords text={children} /> : children}</p>
  );
}
