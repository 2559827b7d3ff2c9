/**
 * Tells that a peer has what it was sent: in a line on the page or, while nobody looks, by a notification. Called by
 * presence.
 */
import { calledName } from "../../client/called-name.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import type { Toasts } from "../state/toasts.ts";
import { notify } from "./notify.ts";

/** Of the app. */
export interface TellOfAnswersParts {
  onEvent(listener: (event: ShoalEvent) => void): () => void;
  toasts: Pick<Toasts, "show">;
}

/** Runs until the function returned is called. */
export function tellOfAnswers({ onEvent, toasts }: TellOfAnswersParts): () => void {
  return onEvent(({ event, data }) => {
    if (event !== "invitation_answered" || data.status !== "downloaded") return;
    const who = calledName({ id: data.peer_id, name: data.peer_name });
    const folder = folderNameOf(data.name);
    const did = folder === undefined ? `${who} has` : `${who} took the folder`;
    if (document.visibilityState === "visible")
      toasts.show({ text: { before: `${did} `, file: data.name, after: "." } });
    else void notify(did, folder ?? data.name, "shoal-answer");
  });
}
