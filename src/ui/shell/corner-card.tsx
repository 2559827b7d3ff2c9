/** A card in the page's corner: words, and what to do about them. Called by what comes unasked. */
import type { ComponentChildren } from "preact";
import "./corner-card.css";

interface CornerCardProps {
  /** Words. */
  children: ComponentChildren;
  /** Their id, for buttons that they describe. */
  wordsId?: string;
  actions: ComponentChildren;
  role?: "status";
}

export function CornerCard({ children, wordsId, actions, role }: CornerCardProps) {
  return (
    <div class="corner-card" role={role}>
      <p id={wordsId}>{children}</p>
      <div class="corner-card-actions">{actions}</div>
    </div>
  );
}
