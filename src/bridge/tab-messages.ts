/**
 * What tabs and the service worker say to each other beside the bridge's frames: how an asking end gets hold of a port to
 * the leader. Used by sw and by the browser's leader files. Anything else that comes in, also from another version, is
 * passed over.
 */

/** A tab to the worker. */
export type ToWorker =
  /** Control this page: a hard reload left it uncontrolled. */
  | { type: "claim" }
  /** Comes with a port: keep some more of the page's files, so that it opens without a network, and say if that was all. */
  | { type: "keep-files" }
  /** The user agreed to the new version. */
  | { type: "skip-waiting" }
  /** Sent while a body is under way: some engines end a worker that saw no event for 30 s. */
  | { type: "stay-awake" }
  /** Comes with a port: hand it to the leader. */
  | { type: "find-leader" };

/** The worker to a tab, with a port: serve it if you lead, else refuse it. */
export interface ToTab {
  type: "serve";
  /** The tab that the port came from; null where the worker carries requests of others over it. */
  tab: string | null;
}

/** What `keep-files` is answered with: all files are kept now; or the next could not be had. */
export type FilesKept = { allKept: boolean } | { error: string };

/** A tab or the worker to all, over the channel of this name. */
export const TABS_CHANNEL = "shoal-tabs";

export type ToAll =
  /** The tab of this name leads from now on, and no other does. */
  | { type: "leads"; leader: string }
  /** The leader holds its lock and answers nothing. */
  | { type: "leader-silent" }
  /** The leader is of a former version, and nothing is under way there: a tab of the present one may take over. */
  | { type: "leader-yields" }
  /** Whoever leads: join this pipe and serve it. */
  | { type: "knock"; pipe: string };

export function readToWorker(data: unknown): ToWorker | undefined {
  return isOfType(data, "claim", "keep-files", "skip-waiting", "stay-awake", "find-leader")
    ? (data as ToWorker)
    : undefined;
}

export function readToTab(data: unknown): ToTab | undefined {
  if (!isOfType(data, "serve")) return undefined;
  const { tab } = data as ToTab;
  return tab === null || typeof tab === "string" ? { type: "serve", tab } : undefined;
}

export function readToAll(data: unknown): ToAll | undefined {
  if (isOfType(data, "leader-silent", "leader-yields")) return data as ToAll;
  const { type, leader, pipe } = (data ?? {}) as Record<string, unknown>;
  if (type === "leads" && typeof leader === "string") return { type, leader };
  if (type === "knock" && typeof pipe === "string") return { type, pipe };
  return undefined;
}

function isOfType(data: unknown, ...types: string[]): boolean {
  return typeof data === "object" && data !== null && types.includes((data as { type?: string }).type ?? "");
}
