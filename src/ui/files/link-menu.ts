/** What a menu has for handing on a link. Called by the rows of files and folders; calls file-actions. */
import type { MenuAction } from "../elements/menu.tsx";
import { type ActionPorts, canShareLinks, type NamedFile, shareLink } from "./file-actions.ts";

/** `onCode` shows the link and its QR code. */
export function linkMenu(app: ActionPorts, file: NamedFile, onCode: () => void): MenuAction[] {
  const code: MenuAction = { label: "QR code and link", icon: "qr", run: onCode };
  if (!canShareLinks()) return [code];
  return [code, { label: "Share…", icon: "share", run: () => void shareLink(app, file) }];
}
