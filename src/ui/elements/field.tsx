/** A labelled line of text, with a hint and an error that screen readers hear. Called by all screens. */
import { useId } from "preact/hooks";
import "./field.css";

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** The label is heard, not seen: where a placeholder or an icon says enough. */
  labelUnseen?: boolean;
  hint?: string | undefined;
  error?: string | undefined;
  placeholder?: string;
  search?: boolean;
  /** Ids, addresses and queries: in figures, unchecked by the speller. */
  exact?: boolean;
  readOnly?: boolean;
  autoFocus?: boolean;
}

export function Field({
  label,
  value,
  onInput,
  labelUnseen = false,
  hint,
  error,
  placeholder,
  search = false,
  exact = false,
  readOnly = false,
  autoFocus = false,
}: FieldProps) {
  const id = useId();
  const told = error ?? hint;
  const input = {
    id,
    value,
    placeholder,
    readOnly,
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
    onFocus: readOnly
      ? (event: { currentTarget: HTMLInputElement }) => event.currentTarget.select()
      : undefined,
    class: exact ? "exact" : undefined,
    "aria-invalid": error !== undefined,
    "aria-describedby": told === undefined ? undefined : `${id}-told`,
    autocomplete: "off",
    autocapitalize: exact ? "none" : undefined,
    spellcheck: exact ? false : undefined,
    autofocus: autoFocus,
  } as const;
  return (
    <div class="field">
      <label for={id} class={labelUnseen ? "unseen" : undefined}>
        {label}
      </label>
      {search ? <input type="search" {...input} /> : <input type="text" {...input} />}
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
