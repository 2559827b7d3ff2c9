/**
 * Deleting with a way back: a file leaves the lists at once and the node when its toast goes. Closing the page in between
 * keeps the file. Called by the file rows; calls the client.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import type { LocalFile } from "./entries.ts";
import type { Toasts } from "./toasts.ts";

export interface Deletions {
  /** Ids of files that are not to be shown. */
  readonly hidden: ReadonlySignal<ReadonlySet<string>>;
  request(file: Pick<LocalFile, "id" | "name">): void;
}

export function createDeletions(
  client: ShoalClient,
  toasts: Toasts,
  onDeleted: (fileId: string) => Promise<void>,
): Deletions {
  const hidden = signal<ReadonlySet<string>>(new Set());
  const show = (fileId: string) => {
    hidden.value = new Set([...hidden.value].filter((id) => id !== fileId));
  };

  async function run(fileId: string): Promise<void> {
    try {
      await client.deleteFile(fileId);
      await onDeleted(fileId);
    } catch (error) {
      toasts.showError(error);
    } finally {
      show(fileId);
    }
  }

  return {
    hidden,
    request({ id, name }) {
      hidden.value = new Set([...hidden.value, id]);
      const keep = () => {
        show(id);
        toasts.say({ text: `${name} is kept.`, tone: "plain" });
      };
      toasts.show({
        text: { before: "Deleting ", file: name, after: "." },
        action: { label: "Undo", run: keep, undoes: true },
        onGone: () => void run(id),
      });
    },
  };
}
