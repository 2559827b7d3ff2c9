/** Opens a link or an id that somebody pasted, typed or scanned. Called by network-screen; calls links. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { fragmentOf, parseLink } from "../links.ts";
import { ScanDialog } from "../peers/scan-dialog.tsx";
import { useApp } from "../state/app-state.ts";
import "../elements/line-form.css";

export function OpenByHand() {
  const { router } = useApp();
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const isScanning = useSignal(false);

  function open(given: string): boolean {
    const link = parseLink(given);
    if (link === undefined) return false;
    router.open(fragmentOf(link));
    return true;
  }

  return (
    <form
      class="line-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!open(text.value)) {
          error.value =
            text.value.trim() === ""
              ? "Paste a link first. One looks like https://…/#/get/bafy…"
              : "That is no link to a file and no file id. Was it cut? A whole link has #/get/ and a long id in it.";
        }
      }}
    >
      <Field
        label="Open a link or a file id"
        placeholder="Paste a link"
        exact
        value={text.value}
        error={error.value}
        onInput={(value) => {
          text.value = value;
          error.value = undefined;
        }}
      />
      <Button type="submit" icon="open">
        Open
      </Button>
      <Button icon="camera" onClick={() => (isScanning.value = true)}>
        Scan
      </Button>
      {isScanning.value && (
        <ScanDialog
          title="Scan the QR code of a link"
          onText={open}
          onClose={() => (isScanning.value = false)}
        />
      )}
    </form>
  );
}
