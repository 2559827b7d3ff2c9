/** One line that is typed, pasted or scanned: a link, an id, an address. Called by screens; calls scan-dialog. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import "./line-form.css";
import { ScanDialog } from "./scan-dialog.tsx";

interface LineFormProps {
  label: string;
  placeholder: string;
  hint?: string;
  text: Signal<string>;
  /** Goes when the person types on. */
  error: Signal<string | undefined>;
  /** The button that submits. */
  button: ComponentChildren;
  scanTitle: string;
  /** False where the text is of no use. */
  onText: (text: string) => boolean;
  /** Why what was typed is of no use. */
  refusal: (text: string) => string;
}

export function LineForm({ text, error, button, scanTitle, onText, refusal, ...words }: LineFormProps) {
  const isScanning = useSignal(false);
  return (
    <form
      class="line-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!onText(text.value)) error.value = refusal(text.value);
      }}
    >
      <Field
        {...words}
        exact
        value={text.value}
        error={error.value}
        onInput={(value) => {
          text.value = value;
          error.value = undefined;
        }}
      />
      {button}
      <Button icon="camera" onClick={() => (isScanning.value = true)}>
        Scan
      </Button>
      {isScanning.value && (
        <ScanDialog title={scanTitle} onText={onText} onClose={() => (isScanning.value = false)} />
      )}
    </form>
  );
}
