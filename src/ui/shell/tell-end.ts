/**
 * Tells of one download that ended, or of those of a folder together: in a line on the page or, while nobody looks, by a badge on
 * the page's icon and, where allowed, a notification, in which those alike are a number. Made by tell-of-ends; calls the
 * browser.
 */
import type { Router } from "../router.ts";
import { type AboutFile, opening, plainText, type Toasts } from "../state/toasts.ts";
import { notify } from "./notify.ts";

export interface End {
  text: AboutFile;
  /** How several files are told of that are in no folder. */
  together?: (count: number) => string;
  isHere: boolean;
  /** What the screen of a link may be about that shows the same. */
  ids: readonly string[];
}

/** Of the app. */
export interface TellEndParts {
  toasts: Pick<Toasts, "say" | "show">;
  router: Pick<Router, "route" | "go">;
}

export interface EndTeller {
  tell(end: End): void;
  /** Nobody's coming back is watched for any more. */
  stop(): void;
}

export function createEndTeller({ toasts, router }: TellEndParts): EndTeller {
  /** Told of while nobody looked. */
  let unseen: readonly End[] = [];

  function tellOnPage({ text, together, isHere, ids }: End): void {
    const { screen, ...watched } = router.route.value;
    const isWatched = screen === "transfers" || ("link" in watched && ids.includes(watched.link.fileId));
    const tone = isHere ? "plain" : "bad";
    if (isWatched) {
      toasts.say({ text: plainText(text), tone });
      return;
    }
    const opens = isHere ? "files" : "transfers";
    const action = screen === opens ? undefined : opening(router, opens);
    toasts.show({ text, tone, ...(together && { together }), ...(action && { action }) });
  }

  function tellAway(end: End): void {
    const { text, together, isHere } = end;
    unseen = [...unseen, end];
    if (isHere) setBadge(unseen.filter((other) => other.isHere).length);
    const alike = unseen.filter((other) => together !== undefined && other.together === together);
    const body = together && alike.length > 1 ? together(alike.length) : plainText(text);
    void notify(isHere ? "Download complete" : "Download failed", body, "shoal-complete");
  }

  const onVisibility = () => {
    if (document.visibilityState !== "visible") return;
    if (unseen.some(({ isHere }) => isHere)) setBadge(0);
    unseen = [];
  };
  document.addEventListener("visibilitychange", onVisibility);
  return {
    tell(end) {
      if (document.visibilityState === "visible") tellOnPage(end);
      else tellAway(end);
    },
    stop: () => document.removeEventListener("visibilitychange", onVisibility),
  };
}

function setBadge(count: number): void {
  // Refused where the page is not installed.
  if ("setAppBadge" in navigator) navigator.setAppBadge(count).catch(() => undefined);
}
