/** A labelled text of several lines, with a hint and an error that screen readers hear. Called by forms; beside Field. */
import { FieldFrame, type FieldWords } from "./field-frame.tsx";

interface TextAreaProps extends FieldWords {
  value: string;
  onInput: (value: string) => void;
  placeholder?: string;
  rows?: number;
  readOnly?: boolean;
  /** Called on Ctrl or Cmd with Enter. */
  onSubmit?: () => void;
  /** Enter alone submits: what it takes is pasted, or a word. */
  enterSubmits?: boolean;
}

export function TextArea({
  value,
  onInput,
  placeholder,
  rows = 3,
  readOnly = false,
  onSubmit,
  enterSubmits = false,
  ...words
}: TextAreaProps) {
  return (
    <FieldFrame {...words}>
      {(ties) => (
        <textarea
          {...ties}
          class="exact"
          aria-keyshortcuts={onSubmit && (enterSubmits ? "Enter" : "Control+Enter")}
          rows={rows}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey) return;
            if (!enterSubmits && !event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            onSubmit?.();
          }}
          placeholder={placeholder}
          readOnly={readOnly}
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    </FieldFrame>
  );
}
