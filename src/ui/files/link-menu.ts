/** What a menu has for handing on a file. Called by the rows of files and folders; calls file-actions. */
import type { MenuAction } from "../elements/menu.tsx";
import { type ActionPorts, canShareLinks, type NamedFile, shareLink } from "./file-actions.ts";

/** `onCode` shows the link and its QR code, `onSend` the peers that it may be sent to. */
export function linkMenu(
  app: ActionPorts,
  file: NamedFile,
  { onCode, onSend }: { onCode: () => void; onSend: () => void },
): MenuAction[] {
  const code: MenuAction = { label: "QR code and link", icon: "qr", run: onCode };
  const send: MenuAction = { label: "Send to a peer…", icon: "up", run: onSend };
  if (!canShareLinks()) return [code, send];
  return [code, send, { label: "Share…", icon: "share", run: () => void shareLink(app, file) }];
}
