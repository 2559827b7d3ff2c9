/**
 * Files together with what the folders among them hold, for the screens of files and of the network. The list of each folder is
 * read once, and files wait for it a moment, so that they are drawn in their folder at once and nothing moves afterwards. Called
 * by app-state and offers; calls the client.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Folder } from "../../api/folders.ts";
import type { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { FOLDERS_AT_ONCE, FOLDERS_WAIT_MS, MAX_GROUPED_FOLDERS, MIN_LISTED_BYTES } from "../limits.ts";
import { isSameJson } from "./same-json.ts";

interface ListedFile {
  id: string;
  name: string;
  size: number;
}

export interface Listing<F> {
  readonly files: readonly F[];
  /** By the id of its list: the first of the folders, as the files stand, that could be read. */
  readonly folders: ReadonlyMap<string, Folder>;
  /** The same and those that have gone since the page was opened, whose transfers are still told of. */
  readonly known: ReadonlyMap<string, Folder>;
}

/**
 * Undefined before `files` are known; while they are undefined again, it stays as it was and no list is asked for.
 * `readable`: those that may be read of what is called as the list of a folder. Lives until `stop` aborts.
 */
export function createListing<F extends ListedFile>(
  client: Pick<ShoalClient, "folder">,
  files: ReadonlySignal<readonly F[] | undefined>,
  readable: (lists: readonly F[]) => readonly F[],
  stop: AbortSignal,
): ReadonlySignal<Listing<F> | undefined> {
  const listing = signal<Listing<F> | undefined>(undefined);
  const folders = new Map<string, Folder>();
  const gone = new Map<string, Folder>();
  /**
   * Why stays with the dialog of whoever opens it; where no other try may end otherwise, the size that the list was
   * said to have.
   */
  const failed = new Map<string, number | undefined>();
  const reading = new Set<string>();
  let latest: readonly F[] = [];
  let wanted: readonly string[] = [];
  let queue: readonly F[] = [];
  let clock: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;

  /** Nothing, where all is as it was told of: the screens would be drawn anew for it. */
  function tell(): void {
    const now = { files: latest, folders: new Map(folders), known: new Map([...folders, ...gone]) };
    if (listing.value === undefined || !isSame(listing.value, now)) listing.value = now;
  }

  /** Tells once all is read. */
  function settle(): void {
    if (wanted.some((id) => !folders.has(id) && !failed.has(id))) {
      clock ??= setTimeout(() => {
        isLate = true;
        tell();
      }, FOLDERS_WAIT_MS);
      return;
    }
    clearTimeout(clock);
    clock = undefined;
    isLate = false;
    tell();
  }

  function readNext(): void {
    const [list] = queue;
    if (list === undefined || reading.size >= FOLDERS_AT_ONCE) return;
    queue = queue.slice(1);
    reading.add(list.id);
    void read(list);
    readNext();
  }

  async function read({ id, size }: F): Promise<void> {
    try {
      const folder = await client.folder(id, stop);
      // Who offers it tells a false size, by which it is one of those that may be read.
      if (leastBytes(folder) > size) failed.set(id, size);
      else {
        folders.set(id, folder);
        failed.delete(id);
      }
    } catch (error) {
      failed.set(id, error instanceof ShoalError && error.status === 400 ? size : undefined);
    }
    if (stop.aborted) return;
    reading.delete(id);
    keepWanted();
    readNext();
    settle();
  }

  function keepWanted(): void {
    for (const id of failed.keys()) if (!wanted.includes(id)) failed.delete(id);
    for (const [id, folder] of folders) {
      if (wanted.includes(id)) continue;
      folders.delete(id);
      gone.set(id, folder);
    }
    for (const id of gone.keys()) if (folders.has(id) || gone.size > MAX_GROUPED_FOLDERS) gone.delete(id);
  }

  /** What is under one id is the same for ever. */
  function bringBack(): void {
    for (const id of wanted) {
      const folder = gone.get(id);
      if (folder !== undefined) folders.set(id, folder);
    }
  }

  const unsubscribe = files.subscribe((now) => {
    queue = [];
    if (now === undefined) return;
    latest = now;
    const lists = listsIn(now, readable);
    wanted = lists.map(({ id }) => id);
    bringBack();
    keepWanted();
    const unread = lists.filter(
      ({ id, size }) => !folders.has(id) && failed.get(id) !== size && !reading.has(id),
    );
    // Those that fail again and again keep none from its first try.
    queue = unread.sort((one, other) => Number(failed.has(one.id)) - Number(failed.has(other.id)));
    readNext();
    settle();
    // What is new is not kept back for folders that are slow.
    if (isLate) tell();
  });
  stop.addEventListener("abort", () => {
    unsubscribe();
    clearTimeout(clock);
  });
  return listing;
}

function listsIn<F extends ListedFile>(
  files: readonly F[],
  readable: (lists: readonly F[]) => readonly F[],
): readonly F[] {
  return readable(files.filter(({ name }) => folderNameOf(name) !== undefined)).slice(0, MAX_GROUPED_FOLDERS);
}

/** What its list takes at least. */
function leastBytes({ files }: Folder): number {
  return files.reduce((sum, { path }) => sum + path.length + MIN_LISTED_BYTES, 0);
}

function isSame<F>(one: Listing<F>, other: Listing<F>): boolean {
  return (
    areSame([...one.folders], [...other.folders], ([, a], [, b]) => a === b) &&
    areSame([...one.known], [...other.known], ([, a], [, b]) => a === b) &&
    areSame(one.files, other.files, isSameJson)
  );
}

function areSame<T>(
  some: readonly T[],
  others: readonly T[],
  isEqual: (one: T, other: T) => boolean,
): boolean {
  return some.length === others.length && some.every((one, at) => isEqual(one, others[at] as T));
}
