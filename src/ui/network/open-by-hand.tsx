/**
 * Opens a link or an id that somebody pasted, typed or scanned, or several that these or another program gave at once. Called by
 * network-screen; calls links.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { LineForm } from "../elements/line-form.tsx";
import { GetManyDialog } from "../get/get-many-dialog.tsx";
import { type FileLink, fragmentOf, parseLinks } from "../links.ts";
import { linksOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";

export function OpenByHand() {
  const { router } = useApp();
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const handed = linksOf(router.route.value);
  const several = useSignal<readonly FileLink[]>([]);
  useEffect(() => {
    if (handed !== undefined) several.value = handed;
  }, [handed, several]);

  function close(): void {
    several.value = [];
    // Loaded again, or gone back to, they would be asked about once more.
    if (handed !== undefined) router.goInstead("network");
  }

  function open(given: string): boolean {
    const links = parseLinks(given);
    const [link] = links;
    if (link === undefined) return false;
    if (links.length > 1) several.value = links;
    else router.open(fragmentOf(link));
    return true;
  }

  return (
    <>
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
      {several.value.length > 0 && <GetManyDialog files={several.value} opensFolders onClose={close} />}
    </>
  );
}
