/**
 * What the rows of files and of folders have in common: the part of their menus that hands on, lists and compares, and the
 * dialogs that this and the rows open. Called by file-row and folder-row; calls file-actions and listing-menu.
 */
import type { Signal } from "@preact/signals";
import type { MenuAction } from "../elements/menu.tsx";
import { SimilarDialog } from "../finding/similar-dialog.tsx";
import type { AppState } from "../state/app-state.ts";
import type { LocalFile } from "../state/entries.ts";
import { canShareLinks, shareLink } from "./file-actions.ts";
import { LinkDialog } from "./link-dialog.tsx";
import { listingMenu } from "./listing-menu.ts";
import { OpenedFile } from "./opened-file.tsx";
import { SendDialog } from "./send-dialog.tsx";

/** Which dialog of a row is open; undefined: none. */
export type OpenDialog = Signal<"contents" | "link" | "send" | "similar" | undefined>;

export function ownFileMenu(app: AppState, file: LocalFile, dialog: OpenDialog): MenuAction[] {
  const share: MenuAction = { label: "Share…", icon: "share", run: () => void shareLink(app, file) };
  return [
    { label: "QR code and link", icon: "qr", run: () => (dialog.value = "link") },
    { label: "Send to a peer…", icon: "up", run: () => (dialog.value = "send") },
    ...(canShareLinks() ? [share] : []),
    listingMenu(app, file),
    { label: "More like this", icon: "search", run: () => (dialog.value = "similar") },
  ];
}

export function OwnFileDialog({ file, dialog }: { file: LocalFile; dialog: OpenDialog }) {
  const shared = { file, onClose: () => (dialog.value = undefined) };
  if (dialog.value === "link") return <LinkDialog {...shared} />;
  if (dialog.value === "send") return <SendDialog {...shared} />;
  if (dialog.value === "similar") return <SimilarDialog {...shared} />;
  return dialog.value && <OpenedFile {...shared} />;
}
