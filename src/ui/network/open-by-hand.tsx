/** Opens a link or an id that somebody pasted, typed or scanned. Called by network-screen; calls links. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { LineForm } from "../elements/line-form.tsx";
import { fragmentOf, parseLinks } from "../links.ts";
import { useApp } from "../state/app-state.ts";

export function OpenByHand() {
  const { router } = useApp();
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);

  function open(given: string): boolean {
    const [link] = parseLinks(given);
    if (link === undefined) return false;
    router.open(fragmentOf(link));
    return true;
  }

  return (
    <LineForm
      label="Open a link or a file id"
      placeholder="Paste a link, or several"
      text={text}
      error={error}
      button={
        <Button type="submit" icon="open">
          Open
        </Button>
      }
      scanTitle="Scan the QR code of a link"
      onText={open}
      refusal={(given) =>
        given.trim() === ""
          ? "Paste a link first. One looks like https://…/#/get/bafy…"
          : "That is no link to a file and no file id. Was it cut? A whole link has #/get/ and a long id in it."
      }
    />
  );
}
