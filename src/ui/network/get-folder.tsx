/** The button that gets all files of a folder, and what stands in its place once they come. Called by offered-folder. */
import { Button } from "../elements/button.tsx";
import { countText, numberText } from "../elements/quantities.ts";
import { folderShareOf } from "../folders/folder-share.ts";
import { getEach, tellOfGetting } from "../get/get-each.ts";
import { linkOf } from "../links.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { OfferedFolderGroup } from "./offered-rows.ts";

export function GetFolder({ group: { list, folder } }: { group: OfferedFolderGroup }) {
  const app = useApp();
  const isAsking = app.asked.states.value.get(list.id) === "asking for all";
  const { here, coming, of } = folderShareOf(app, folder);

  /** Goes on where the screen is left meanwhile. */
  async function get(): Promise<void> {
    try {
      const started = await getEach(app, { files: [], folders: [linkOf(list)] }, app.wholeFiles.value);
      tellOfGetting(app, started, { text: { before: "Getting ", file: list.name } });
    } catch (error) {
      app.toasts.showError(error);
    }
  }

  if (!isAsking) {
    if (here === of) return <span class="network-row-state quiet small">You have it</span>;
    if (coming > 0) {
      return (
        <a class="network-row-state small figures" href={hrefOf("transfers")}>
          {numberText(here)} of {numberText(of)} here, see transfers
        </a>
      );
    }
  }
  const files = countText(of - here, "file");
  return (
    <Button icon="down" busy={isAsking} label={`Get ${files} of ${folder.name}`} onClick={() => void get()}>
      {isAsking ? "Asking…" : `Get ${files}`}
    </Button>
  );
}
