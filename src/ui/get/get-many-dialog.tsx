/**
 * Several files got by one button: those of links that were pasted at once, those that a search found, or those of a folder,
 * named by their paths in it. Called by drop-anywhere, network-screen and folder-dialog; calls the client.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { FileName } from "../elements/file-name.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { MAX_DIALLED_ADDRESSES } from "../limits.ts";
import type { FileLink } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import { getEach, tellOfGetting } from "./get-each.ts";
import "./get-many-dialog.css";
import { useDial } from "./use-dial.ts";

interface GetManyDialogProps {
  /** Their number by default. */
  title?: ComponentChildren;
  files: readonly FileLink[];
  /** Of the folders that some of these are in, which come with them. */
  lists?: readonly FileLink[];
  /** For what is all here. */
  onSave?: () => void;
  onClose: () => void;
}

export function GetManyDialog({ title, files, lists = [], onSave, onClose }: GetManyDialogProps) {
  const app = useApp();
  const addresses = addressesOf(files);
  const dial = useDial(addresses);
  const asked = useSignal<{ count: number; of: number } | undefined>(undefined);
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const here = new Set(app.files.value.value?.filter(({ complete }) => complete).map(({ id }) => id));
  const isMissing = ({ fileId }: FileLink) => !here.has(fileId);
  const missing = files.filter(isMissing);

  /** Goes on where it is closed meanwhile. */
  async function get(): Promise<void> {
    // Some are here before the last is asked for.
    const of = missing.length;
    asked.value = { count: 0, of };
    try {
      await getEach(app, lists.filter(isMissing), missing, (count) => {
        asked.value = { count, of };
      });
      if (!isOpen.current) {
        await tellOfGetting(app, missing, `Getting ${countText(of, "file")}.`);
        return;
      }
      onClose();
      app.router.go("transfers");
      await app.transfers.refresh();
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      asked.value = undefined;
    }
  }

  return (
    <Dialog
      title={title ?? countText(files.length, "file")}
      onClose={onClose}
      actions={
        missing.length === 0 && onSave !== undefined ? (
          <Button weight="main" icon="save" onClick={onSave}>
            Save all as a ZIP
          </Button>
        ) : (
          <Button
            weight="main"
            icon="down"
            busy={asked.value !== undefined}
            disabled={missing.length === 0 || app.phase.value.phase !== "running"}
            onClick={() => void get()}
          >
            {buttonText(asked.value, missing.length)}
          </Button>
        )
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <ul class="get-many-dialog-files" tabIndex={0} aria-label="Files to get">
        {files.map(({ fileId, name, sizeBytes }) => (
          <li key={`${fileId} ${name}`}>
            <FileName name={name ?? fileId} />
            <span class="quiet small figures">
              {here.has(fileId) ? "here already" : sizeBytes === undefined ? "" : bytesText(sizeBytes)}
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet" role="status">
        {totalText(missing)}
        {missing.length > 0 && addresses.length > 0 && ` ${dial.value}`}
      </p>
    </Dialog>
  );
}

function addressesOf(files: readonly FileLink[]): string[] {
  return [...new Set(files.flatMap(({ addresses }) => addresses))].slice(0, MAX_DIALLED_ADDRESSES);
}

function buttonText(asked: { count: number; of: number } | undefined, missing: number): string {
  if (asked !== undefined) return `Asking, ${asked.count} of ${asked.of}`;
  return missing === 0 ? "Nothing to get" : `Get ${countText(missing, "file")}`;
}

function totalText(missing: readonly FileLink[]): string {
  if (missing.length === 0) return "All of them are here already.";
  const sizes = missing.map(({ sizeBytes }) => sizeBytes);
  if (!sizes.every((size) => size !== undefined)) return "";
  return `${bytesText(sizes.reduce((sum, size) => sum + size, 0))} to get.`;
}
