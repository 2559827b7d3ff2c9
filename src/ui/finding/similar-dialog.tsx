/** Files that are like one, here and with others. Called by the rows of files and of the network. */
import { shownName } from "../../spelling/folder-name.ts";
import { Dialog } from "../elements/dialog.tsx";
import { FileName } from "../elements/file-name.tsx";
import { fragmentOf, linkOf } from "../links.ts";
import { SimilarList } from "./similar-list.tsx";
import { useSimilar } from "./use-similar.ts";

interface SimilarDialogProps {
  file: { id: string; name: string };
  onClose: () => void;
}

export function SimilarDialog({ file, onClose }: SimilarDialogProps) {
  const similar = useSimilar(file.id);
  return (
    <Dialog
      title={
        <>
          Like <FileName name={file.name} />
        </>
      }
      onClose={onClose}
    >
      <SimilarList
        similar={similar}
        label={`Files like ${shownName(file.name)}`}
        row={(found, lines) => (
          <a class="file-line-open" href={fragmentOf(linkOf(found))} onClick={onClose}>
            {lines}
          </a>
        )}
      />
    </Dialog>
  );
}
