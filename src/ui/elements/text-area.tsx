/** A labelled text of several lines, with a hint and an error that screen readers hear. Called by forms; beside Field. */
import { useId } from "preact/hooks";
import "./field.css";
import "./text-area.css";

interface TextAreaProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string | undefined;
  error?: string | undefined;
  placeholder?: string;
  rows?: number;
  readOnly?: boolean;
  /** Called on Ctrl or Cmd with Enter. */
  onSubmit?: () => void;
}

export function TextArea({
  label,
  value,
  onInput,
  hint,
  error,
  placeholder,
  rows = 3,
  readOnly = false,
  onSubmit,
}: TextAreaProps) {
  const id = useId();
  const told = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="exact"
        rows={rows}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onSubmit?.();
        }}
        placeholder={placeholder}
        readOnly={readOnly}
        aria-invalid={error !== undefined}
        aria-describedby={told === undefined ? undefined : `${id}-told`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
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
