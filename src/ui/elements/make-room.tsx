/** Where one makes room, beside what found none. Called by the rows of imports and transfers and by the screen of a link. */
import { hrefOf, hrefOfSetting } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import "./make-room.css";

/** `besideFiles`: they can be deleted where this stands. */
export function MakeRoom({ besideFiles = false }: { besideFiles?: boolean }) {
  const { fileById } = useApp();
  const areThereFiles = fileById.value.size > 0;
  return (
    <span class="make-room small">
      {!besideFiles && areThereFiles && <a href={hrefOf("files")}>Delete files</a>}
      <a href={hrefOfSetting("storage")}>See storage in Settings</a>
    </span>
  );
}
