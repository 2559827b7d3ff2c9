/** The button that gets all files of a folder, and what stands in its place once they come. Called by offered-folder. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { countText, numberText } from "../elements/quantities.ts";
import { folderLinks } from "../folders/folder-links.ts";
import { comingOf, getEach, tellOfGetting } from "../get/get-each.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import { linkOf, type OfferedFolderGroup } from "./offered-rows.ts";

export function GetFolder({ group: { list, folder } }: { group: OfferedFolderGroup }) {
  const app = useApp();
  const asked = useSignal<{ count: number; of: number } | undefined>(undefined);
  const links = useMemo(() => folderLinks(folder, linkOf(list)), [folder, list.id]);
  const here = new Set(app.files.value.value?.flatMap(({ id, complete }) => (complete ? [id] : [])));
  const missing = links.filter(({ fileId }) => !here.has(fileId));
  const isComing = comingOf(app.transfers.value.value, missing).length > 0;

  /** Goes on where the screen is left meanwhile. */
  async function get(): Promise<void> {
    const of = missing.length;
    asked.value = { count: 0, of };
    try {
      const lists = here.has(list.id) ? [] : [linkOf(list)];
      await getEach(app, lists, missing, (count) => {
        asked.value = { count, of };
      });
      await tellOfGetting(app, missing, { before: "Getting ", file: list.name });
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      asked.value = undefined;
    }
  }

  if (asked.value === undefined) {
    if (missing.length === 0) return <span class="network-row-state quiet small">You have it</span>;
    if (isComing) {
      return (
        <a class="network-row-state small figures" href={hrefOf("transfers")}>
          {numberText(folder.files.length - missing.length)} of {numberText(folder.files.length)} here, see
          transfers
        </a>
      );
    }
  }
  const files = countText(missing.length, "file");
  return (
    <Button
      icon="down"
      busy={asked.value !== undefined}
      label={`Get ${files} of ${folder.name}`}
      onClick={() => void get()}
    >
      {asked.value === undefined
        ? `Get ${files}`
        : `Asking, ${numberText(asked.value.count)} of ${numberText(asked.value.of)}`}
    </Button>
  );
}
