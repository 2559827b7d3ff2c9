/**
 * Deleting with a way back: files leave the lists at once and the node when their toast goes, with the transfers that still bring
 * them. Closing the page in between keeps them. Made by app-state, called by the rows of files and folders; calls the client.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { shownName } from "../../spelling/folder-name.ts";
import { endEach } from "../transfers/each-transfer.ts";
import { inTurn, keepsFile } from "../transfers/transfer-words.ts";
import { someAtATime } from "./some-at-a-time.ts";
import type { Toasts } from "./toasts.ts";
import { unlessRefused } from "./unless-refused.ts";

export interface Deletion {
  id: string;
  name: string;
  /** Ids of files that go with it, or stay with it; some may not be here yet. */
  files?: readonly string[];
  /** What the toast says after its name. */
  after?: string;
}

export interface Deletions {
  /** Ids of files that are not to be shown. */
  readonly hidden: ReadonlySignal<ReadonlySet<string>>;
  request(deletion: Deletion): void;
  /** The file was shared once more: of what still waits to be deleted it stays. */
  keep(fileId: string): void;
}

export function createDeletions(
  client: Pick<ShoalClient, "cancel" | "deleteFile" | "transfers">,
  toasts: Toasts,
  onDeleted: (fileIds: readonly string[]) => Promise<void>,
): Deletions {
  const hidden = signal<ReadonlySet<string>>(new Set());
  /** Ids of the files of each deletion whose toast stands, by what that is about. */
  const waiting = new Map<string, Set<string>>();
  const show = (fileIds: readonly string[]) => {
    hidden.value = new Set([...hidden.value].filter((id) => !fileIds.includes(id)));
  };

  /** A transfer would bring its file back. */
  async function cancelThoseOf(fileIds: readonly string[]): Promise<void> {
    const { transfers } = await client.transfers();
    const coming = transfers.filter((transfer) => fileIds.includes(transfer.file_id) && keepsFile(transfer));
    await endEach(inTurn(coming), (id) => client.cancel(id));
  }

  async function run(fileIds: readonly string[]): Promise<void> {
    const deleted: string[] = [];
    const remove = async (id: string) => {
      // What had not come whole went with its transfer.
      await unlessRefused(client.deleteFile(id), 404);
      deleted.push(id);
    };
    try {
      await cancelThoseOf(fileIds);
      await someAtATime(fileIds.slice(0, -1), remove);
      // A folder's list.
      await someAtATime(fileIds.slice(-1), remove);
    } catch (error) {
      toasts.showError(error);
    }
    try {
      if (deleted.length > 0) await onDeleted(deleted);
    } catch (error) {
      toasts.showError(error);
    } finally {
      show(fileIds);
    }
  }

  return {
    hidden,
    request({ id, name, files = [], after = "." }) {
      // The folder's list is the last, so that files that could not be deleted are still in their folder.
      const all = new Set([...files, id]);
      const about = `deletion of ${id}`;
      hidden.value = new Set([...hidden.value, ...all]);
      waiting.set(about, all);
      const undo = () => {
        waiting.delete(about);
        show([...all]);
        toasts.say({ text: `${shownName(name)} is kept.`, tone: "plain" });
      };
      toasts.show({
        text: { before: "Deleting ", file: name, after },
        about,
        action: { label: "Undo", run: undo, undoes: true },
        onGone: () => {
          waiting.delete(about);
          void run([...all]);
        },
      });
    },
    keep(fileId) {
      for (const [about, all] of waiting) {
        if (!all.delete(fileId)) continue;
        show([fileId]);
        if (all.size === 0) toasts.over(about);
      }
    },
  };
}
