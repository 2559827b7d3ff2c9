/** What stands where nothing is yet: what this place is for, and the first step. Called by the screens. */
import type { ComponentChildren } from "preact";
import "./empty-state.css";

export function EmptyState({
  title,
  children,
  actions,
}: {
  title: string;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      <div class="quiet">{children}</div>
      {actions && <div class="empty-state-actions">{actions}</div>}
    </div>
  );
}
