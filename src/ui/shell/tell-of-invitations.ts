/** Tells by a notification of what peers ask while nobody looks; who looks sees its card. Called by presence. */
import { calledName } from "../../client/called-name.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { notify } from "./notify.ts";

/** Runs until the function returned is called. */
export function tellOfInvitations({
  onEvent,
}: {
  onEvent(listener: (event: ShoalEvent) => void): () => void;
}): () => void {
  return onEvent(({ event, data }) => {
    if (event !== "invitation_received" || document.visibilityState === "visible") return;
    const sender = calledName({ id: data.peer_id, name: data.peer_name });
    const folder = folderNameOf(data.name);
    const what = folder === undefined ? "a file" : "a folder";
    void notify(`${sender} sends you ${what}`, folder ?? data.name, "shoal-invitation");
  });
}
