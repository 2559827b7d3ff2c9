/** What the page offers in passing: a new version. Called by the shell. */
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import "./update-offer.css";

export function UpdateOffer() {
  const apply = useApp().update.value;
  if (apply === undefined) return null;
  return (
    <div class="update-offer" role="status">
      <p>A new version is ready. Reloading takes a second, and transfers go on by themselves.</p>
      <Button onClick={apply}>Reload</Button>
    </div>
  );
}
