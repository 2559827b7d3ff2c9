/** A labelled text of several lines, with a hint and an error that screen readers hear. Called by forms; beside Field. */
import { FieldFrame, type FieldWords } from "./field-frame.tsx";

interface TextAreaProps extends FieldWords {
  value: string;
  onInput: (value: string) => void;
  placeholder?: string;
  rows?: number;
  readOnly?: boolean;
  /** Enter alone submits the form: what it takes is pasted, or a word. Else Ctrl or Cmd with Enter does. */
  enterSubmits?: boolean;
  /** First to be typed in where it is shown. */
  autoFocus?: boolean;
  /** A person's words, which the browser may spell; else what is read by programs. */
  prose?: boolean;
}

export function TextArea({
  value,
  onInput,
  placeholder,
  rows = 3,
  readOnly = false,
  enterSubmits = false,
  prose = false,
  autoFocus = false,
  ...words
}: TextAreaProps) {
  return (
    <FieldFrame {...words}>
      {(ties) => (
        <textarea
          {...ties}
          class={prose ? undefined : "exact"}
          aria-keyshortcuts={enterSubmits ? "Enter" : "Control+Enter"}
          autofocus={autoFocus}
          rows={rows}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey) return;
            if (!enterSubmits && !event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            // As a line of text does it: by the button, which may wait for what it is at.
            event.currentTarget.form?.querySelector<HTMLElement>("[type=submit]")?.click();
          }}
          placeholder={placeholder}
          readOnly={readOnly}
          autocapitalize={prose ? "sentences" : "none"}
          spellcheck={prose}
        />
      )}
    </FieldFrame>
  );
}
