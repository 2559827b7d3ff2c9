/** What stands around a control that takes text: its label, and a hint or an error. Called by field and text-area. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./field.css";

export interface FieldWords {
  label: string;
  /** The label is heard, not seen: where a placeholder or an icon says enough. */
  labelUnseen?: boolean;
  hint?: string | undefined;
  /** Shown in place of the hint, and heard at once. */
  error?: string | undefined;
}

/** What ties the control to its words. */
interface Ties {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
  autocomplete: "off";
}

interface FieldFrameProps extends FieldWords {
  children: (ties: Ties) => ComponentChildren;
}

export function FieldFrame({ label, labelUnseen = false, hint, error, children }: FieldFrameProps) {
  const id = useId();
  const told = error ?? hint;
  const ties: Ties = {
    id,
    "aria-invalid": error !== undefined,
    "aria-describedby": told === undefined ? undefined : `${id}-told`,
    autocomplete: "off",
  };
  return (
    <div class="field">
      <label for={id} class={labelUnseen ? "unseen" : undefined}>
        {label}
      </label>
      {children(ties)}
      {told !== undefined && (
        <p
          id={`${id}-told`}
          class={error === undefined ? "hint" : "error"}
          role={error === undefined ? undefined : "alert"}
        >
          {told}
        </p>
      )}
    </div>
  );
}
