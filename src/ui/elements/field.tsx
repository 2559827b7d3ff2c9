/** A labelled line of text, with a hint and an error that screen readers hear. Called by all screens. */
import { FieldFrame, type FieldWords } from "./field-frame.tsx";

interface FieldProps extends FieldWords {
  value: string;
  onInput: (value: string) => void;
  placeholder?: string;
  search?: boolean;
  /** Ids, addresses and queries: in figures, unchecked by the speller. */
  exact?: boolean;
  readOnly?: boolean;
  autoFocus?: boolean;
}

export function Field({
  value,
  onInput,
  placeholder,
  search = false,
  exact = false,
  readOnly = false,
  autoFocus = false,
  ...words
}: FieldProps) {
  const input = {
    value,
    placeholder,
    readOnly,
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
    onFocus: readOnly
      ? (event: { currentTarget: HTMLInputElement }) => event.currentTarget.select()
      : undefined,
    class: exact ? "exact" : undefined,
    autocapitalize: exact ? "none" : undefined,
    spellcheck: exact ? false : undefined,
    autofocus: autoFocus,
  } as const;
  return (
    <FieldFrame {...words}>
      {(ties) =>
        search ? <input type="search" {...ties} {...input} /> : <input type="text" {...ties} {...input} />
      }
    </FieldFrame>
  );
}
