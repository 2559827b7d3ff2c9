/** What can be done with a file that is here: link, save, hand to the system. Called by rows and dialogs; calls the client. */
import { addressesForLink } from "../link-addresses.ts";
import { linkUrl } from "../links.ts";
import type { AppState } from "../state/app-state.ts";

export interface NamedFile {
  id: string;
  name: string;
  size: number;
}

/** The link to hand on, with the addresses that this node can be reached at now. */
export function linkTo(app: AppState, file: NamedFile): string {
  return linkUrl(location.href.replace(/[?#].*$/s, ""), {
    fileId: file.id,
    name: file.name,
    sizeBytes: file.size,
    addresses: addressesForLink(app.info.value.value?.addresses ?? []),
  });
}

export async function copyLinks(app: AppState, files: readonly NamedFile[]): Promise<void> {
  try {
    await navigator.clipboard.writeText(files.map((file) => linkTo(app, file)).join("\n"));
    app.toasts.show({
      text:
        files.length === 1
          ? "Link copied. It works for as long as this page, or somebody else who has the file, is open."
          : `${files.length} links copied, one a line.`,
    });
  } catch {
    app.toasts.show({
      text: "The browser did not let the link be copied. Open its QR code and copy it there.",
      tone: "bad",
    });
  }
}

/** Whether the system has a sheet to share links with. */
export function canShareLinks(): boolean {
  return typeof navigator.share === "function";
}

export async function shareLink(app: AppState, file: NamedFile): Promise<void> {
  try {
    await navigator.share({ title: file.name, url: linkTo(app, file) });
  } catch (error) {
    // Closing the sheet is no failure.
    if (!(error instanceof DOMException && error.name === "AbortError")) app.toasts.showError(error);
  }
}

/** A path that a media element can read, without a key. */
export async function streamUrl(app: AppState, fileId: string): Promise<string> {
  return app.host.apiOrigin + (await app.client.ticket(fileId)).url;
}

/** Hands the bytes to the browser's own download, which shows its progress. */
export async function saveFile(app: AppState, file: NamedFile): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = `${await streamUrl(app, file.id)}?download=true`;
    link.download = file.name;
    link.click();
  } catch (error) {
    app.toasts.showError(error);
  }
}
