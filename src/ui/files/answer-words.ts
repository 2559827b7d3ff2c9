/** What came of an invitation, as far as the peer tells. Called by the dialog that sends, and by what tells of answers. */
import { folderNameOf } from "../folders/folder-name.ts";
import type { SentInvitation } from "../state/entries.ts";

/** Nothing until the peer has begun. Of a folder its list was sent, whose files the peer asks for by itself. */
export function answerWords({ name, status }: Pick<SentInvitation, "name" | "status">): string | undefined {
  if (status === "sent") return undefined;
  if (folderNameOf(name) !== undefined) return "Took it";
  return status === "downloaded" ? "Has it" : "Is getting it";
}
