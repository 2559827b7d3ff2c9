/**
 * Files that the system hands to the page: opened with it (file handlers), or shared to it (share target, kept by the
 * service worker); and screens and links that it opens in a window that is there. Made by main for the screens; calls
 * bridge/shared-files. Source: Web App Launch Handler, Web Share Target.
 */
import { MAX_SHARED_FILES } from "../../bridge/limits.ts";
import {
  SHARE_CUT_QUERY,
  SHARE_FAILED_QUERY,
  type SharedFiles,
  takeSharedFiles,
} from "../../bridge/shared-files.ts";
import { countText } from "../../ui/elements/quantities.ts";
import { openPageLog } from "../page-log.ts";
import { hasName } from "../storage/medium-errors.ts";

interface LaunchQueue {
  setConsumer(
    consumer: (params: { targetURL?: string; files?: readonly FileSystemFileHandle[] }) => void,
  ): void;
}

const LOST: Readonly<Record<string, string>> = {
  [SHARE_FAILED_QUERY]:
    "What another program handed over could not be kept. Free some room here, and hand it over again.",
  [SHARE_CUT_QUERY]: `Another program handed over more than ${MAX_SHARED_FILES} files: only the first ${MAX_SHARED_FILES} are here. Hand the others over by themselves.`,
};
const UNREADABLE = "What another program handed over could not be read. It may have been moved meanwhile.";

/**
 * Each list of files goes to the listener once, less what can't be read. `onLost`: told, in words, of files that could
 * not be kept or read.
 */
export function onFilesHandedOver(
  listener: (files: readonly File[]) => void,
  onLost: (reason: string) => void,
): () => void {
  const log = openPageLog("files");
  let isListening = true;
  const hand = ({ files, lost: [first, ...others] }: SharedFiles) => {
    if (isListening && files.length > 0) listener(files);
    if (first === undefined) return;
    lose(files.length === 0 ? UNREADABLE : lossOf(first.name, others.length), first.error);
  };
  const lose = (reason: string, error: unknown) => {
    log.warn("files that were handed over can't be read", { error });
    if (isListening) onLost(reason);
  };
  const open = async (handles: readonly FileSystemFileHandle[]) => {
    const opened: SharedFiles = { files: [], lost: [] };
    for (const handle of handles) {
      try {
        opened.files.push(await handle.getFile());
      } catch (error) {
        opened.lost.push({ name: handle.name, error });
      }
    }
    hand(opened);
  };

  const lost = LOST[location.search];
  if (lost !== undefined) {
    // Told once, however often the page is loaded again.
    history.replaceState(history.state, "", location.pathname + location.hash);
    onLost(lost);
  }
  // Not in an insecure context, nor where a person has blocked the site's data: no worker could have kept any.
  if ("caches" in globalThis) {
    takeSharedFiles().then(hand, (error) => hasName(error, "SecurityError") || lose(UNREADABLE, error));
  }
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(({ targetURL, files = [] }) => {
    if (targetURL !== undefined) show(targetURL);
    void open(files);
  });
  return () => {
    isListening = false;
  };
}

/**
 * What a shortcut or a link of the system's is to open: by the manifest's `launch_handler` a window that is there comes
 * to the front, and is led nowhere. The bare app is shown as it was left.
 */
function show(targetUrl: string): void {
  const { hash } = new URL(targetUrl);
  if (hash !== "") location.hash = hash;
}

/** Where others could be read. */
function lossOf(name: string, others: number): string {
  const more = others === 0 ? "" : ` and ${countText(others, "other")}`;
  return `Of what another program handed over, ${name}${more} could not be read. It may have been moved meanwhile.`;
}
