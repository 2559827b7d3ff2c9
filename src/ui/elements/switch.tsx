/** On or off, at once. Called by setting-switch and unlisted-switch. */
import { useId } from "preact/hooks";
import "./switch.css";

interface SwitchProps {
  label: string;
  hint?: string;
  isOn: boolean;
  /** A change is under way; it stays reachable, so that the focus does. */
  busy?: boolean;
  disabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, hint, isOn, busy = false, disabled = false, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        aria-busy={busy}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="quiet small">
          {hint}
        </p>
      )}
    </div>
  );
}
