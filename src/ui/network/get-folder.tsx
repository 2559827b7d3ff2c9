/** The button that gets all files of a folder, and what stands in its place once they come. Called by offered-folder. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { countText, numberText } from "../elements/quantities.ts";
import { getEach, tellOfGetting } from "../get/get-each.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import { isUnfinished } from "../transfers/transfer-words.ts";
import { linkOf, type OfferedFolderGroup } from "./offered-rows.ts";

export function GetFolder({ group: { list, folder } }: { group: OfferedFolderGroup }) {
  const app = useApp();
  const isAsking = useSignal(false);
  const here = new Set(app.files.value.value?.flatMap(({ id, complete }) => (complete ? [id] : [])));
  const missing = new Set(folder.files.flatMap(({ file_id: id }) => (here.has(id) ? [] : [id])));
  const isComing = app.transfers.value.value?.some(
    (entry) => missing.has(entry.file_id) && isUnfinished(entry),
  );
  const left = folder.files.filter(({ file_id }) => missing.has(file_id)).length;

  /** Goes on where the screen is left meanwhile. */
  async function get(): Promise<void> {
    isAsking.value = true;
    try {
      const started = await getEach(app, { files: [], folders: [linkOf(list)] }, here);
      await tellOfGetting(app, started, { before: "Getting ", file: list.name });
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      isAsking.value = false;
    }
  }

  if (!isAsking.value) {
    if (left === 0) return <span class="network-row-state quiet small">You have it</span>;
    if (isComing) {
      return (
        <a class="network-row-state small figures" href={hrefOf("transfers")}>
          {numberText(folder.files.length - left)} of {numberText(folder.files.length)} here, see transfers
        </a>
      );
    }
  }
  const files = countText(left, "file");
  return (
    <Button
      icon="down"
      busy={isAsking.value}
      label={`Get ${files} of ${folder.name}`}
      onClick={() => void get()}
    >
      {isAsking.value ? "Asking…" : `Get ${files}`}
    </Button>
  );
}
