/**
 * Files on their way from this person into the node: a queue that takes one at a time, with progress. Made by
 * app-state, called by share-files and the rows of imports; calls upload.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { FEW_IMPORTS, IMPORTS_AT_ONCE, LISTS_REST_MS, SIZES_A_TASK } from "../limits.ts";
import { messageOf } from "./toasts.ts";
import { createUpload, type UploadHost } from "./upload.ts";

export interface Import {
  readonly id: number;
  readonly name: string;
  /** 0 before it was asked for, which of many is a moment later. */
  readonly sizeBytes: number;
  readonly state: "waiting" | "running" | "failed";
  /** Undefined where it can't be told. */
  readonly sentBytes: number | undefined;
  readonly startedMs: number | undefined;
  readonly error: string | undefined;
  /** It failed since the node has no room for it. */
  readonly isRoomMissing: boolean;
}

/** A file that a person gave. */
export interface GivenFile {
  file: File;
  /** Its name, behind those of the folders that were given with it, slashes between. */
  path: string;
}

export interface Shared {
  fileId: string;
  /** As the node made it safe. */
  name: string;
  /** As it was given. */
  path: string;
  sizeBytes: number;
  unlisted: boolean;
}

export interface Imports {
  /** Waiting, running and failed ones, in order; one that is done leaves. */
  readonly list: ReadonlySignal<readonly Import[]>;
  /** Files are being read, or wait for it: leaving the page would leave them out. */
  readonly isReading: ReadonlySignal<boolean>;
  /** What was shared last, until dismissed: the links to hand on. */
  readonly shared: ReadonlySignal<readonly Shared[]>;
  add(files: readonly GivenFile[]): void;
  /** To be called when the list of files is told anew, so that none of these stands there and here. */
  keepUp(): void;
  /** Takes it out of the queue, or stops it. */
  cancel(id: number): void;
  cancelWaiting(): void;
  retry(id: number): void;
  /** All that failed: once there is room for them, say. */
  retryFailed(): void;
  leaveFailed(): void;
  /** All, or one file. */
  forgetShared(fileId?: string): void;
}

export interface ImportHost extends UploadHost {
  /** Asked when a file is given: is nobody to be told of it? */
  isUnlisted(): boolean;
}

/** Of one that waits for its turn, for the first time or again. */
const WAITING = {
  state: "waiting",
  sentBytes: undefined,
  startedMs: undefined,
  error: undefined,
  isRoomMissing: false,
} as const;

export function createImports(client: ShoalClient, host: ImportHost): Imports {
  const upload = createUpload(client, host);
  const list = signal<readonly Import[]>([]);
  const shared = signal<readonly Shared[]>([]);
  const sources = new Map<number, GivenFile & { unlisted: boolean; stop: AbortController }>();
  /** How it stands, of which `list` and `shared` tell. */
  let entries: readonly Import[] = [];
  let links: readonly Shared[] = [];
  let resting: ReturnType<typeof setTimeout> | undefined;
  /** The one that is read may be in the list of files already. */
  let isListedAnew = false;
  let lastId = 0;

  /** At once of a few files; of many now and then, for each word of one costs the drawing of all. */
  function tell(): void {
    if (resting !== undefined && entries.length > FEW_IMPORTS) return;
    clearTimeout(resting);
    resting = setTimeout(() => {
      resting = undefined;
      if (list.value !== entries || shared.value !== links) tell();
    }, LISTS_REST_MS);
    list.value = entries;
    shared.value = links;
  }

  function tellNow(): void {
    clearTimeout(resting);
    resting = undefined;
    tell();
  }

  function change(id: number, fields: Partial<Import>): void {
    entries = entries.map((entry) => (entry.id === id ? { ...entry, ...fields } : entry));
    tell();
  }

  function leave(isOut: (entry: Import) => boolean): void {
    for (const { id } of entries.filter(isOut)) sources.delete(id);
    entries = entries.filter((entry) => !isOut(entry));
    tell();
  }

  function sizeOf(id: number): number {
    return sources.get(id)?.file.size ?? 0;
  }

  /** Some engines ask the disk for each, and the page waits for it. */
  function measure(ids: readonly number[]): void {
    const some = new Set(ids.slice(0, SIZES_A_TASK));
    entries = entries.map((entry) =>
      some.has(entry.id) ? { ...entry, sizeBytes: sizeOf(entry.id) } : entry,
    );
    tell();
    if (ids.length > some.size) setTimeout(() => measure(ids.slice(some.size)));
  }

  function startNext(): void {
    const running = entries.filter(({ state }) => state === "running").length;
    const next = entries.find(({ state }) => state === "waiting");
    if (next === undefined || running >= IMPORTS_AT_ONCE) return;
    change(next.id, { state: "running", sizeBytes: sizeOf(next.id) });
    void run(next.id).then(startNext);
  }

  async function run(id: number): Promise<void> {
    const source = sources.get(id);
    if (source === undefined) return;
    const { file, path, unlisted, stop } = source;
    try {
      // What was shared before stays as it was, unless it is to be told of no more.
      const options = {
        name: withoutControls(file.name) || "unnamed",
        ...(unlisted && { unlisted }),
        signal: stop.signal,
      };
      const answer = await upload(file, options, (progress) => change(id, progress));
      const entry = { fileId: answer.file_id, name: answer.name, path, sizeBytes: answer.size, unlisted };
      // The same bytes at another place are a file of their own in a folder.
      links = [...links.filter((other) => other.fileId !== entry.fileId || other.path !== path), entry];
      leave((other) => other.id === id);
      if (isListedAnew) tellNow();
      isListedAnew = false;
    } catch (error) {
      if (stop.signal.aborted) leave((entry) => entry.id === id);
      else {
        const isRoomMissing = error instanceof ShoalError && error.status === 507;
        change(id, { state: "failed", error: messageOf(error), isRoomMissing });
      }
    }
  }

  return {
    list,
    isReading: computed(() => list.value.some(({ state }) => state !== "failed")),
    shared,
    add(files) {
      if (entries.every(({ state }) => state === "failed")) links = [];
      const added = files.map(({ file, path }): Import => {
        lastId += 1;
        const given = { file, path: withoutControls(path), unlisted: host.isUnlisted() };
        sources.set(lastId, { ...given, stop: new AbortController() });
        return { id: lastId, name: file.name, sizeBytes: 0, ...WAITING };
      });
      entries = [...entries, ...added];
      measure(added.map(({ id }) => id));
      startNext();
    },
    keepUp() {
      tellNow();
      isListedAnew = true;
    },
    cancel(id) {
      const running = entries.some((entry) => entry.id === id && entry.state === "running");
      sources.get(id)?.stop.abort();
      if (!running) leave((entry) => entry.id === id);
    },
    cancelWaiting() {
      leave(({ state }) => state === "waiting");
    },
    retry(id) {
      change(id, WAITING);
      startNext();
    },
    retryFailed() {
      entries = entries.map((entry) => (entry.state === "failed" ? { ...entry, ...WAITING } : entry));
      tell();
      startNext();
    },
    leaveFailed() {
      leave(({ state }) => state === "failed");
    },
    forgetShared(fileId) {
      links = fileId === undefined ? [] : links.filter((entry) => entry.fileId !== fileId);
      tell();
    },
  };
}

/** Some systems let names have them, as macOS the `Icon\r` of a folder, and the node takes none. */
function withoutControls(name: string): string {
  return name.replace(/\p{Cc}+/gu, "");
}
