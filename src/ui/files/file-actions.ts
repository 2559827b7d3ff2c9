/** What can be done with a file that is here: link, save, hand to the system. Called by rows and dialogs; calls the client. */
import type { ReadonlySignal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { shownName } from "../../spelling/folder-name.ts";
import { DOWNLOAD_FRAME_MS, MAX_NAMED_CODE_BYTES } from "../limits.ts";
import { addressesForCode, addressesForLink } from "../link-addresses.ts";
import { linkUrl } from "../links.ts";
import type { UiHost } from "../ports.ts";
import type { NodeInfo, Peer } from "../state/entries.ts";
import type { Live } from "../state/live.ts";
import type { Toasts } from "../state/toasts.ts";
import { hereAloneText } from "./link-reach.ts";

/** What of the app's state they need. */
export interface ActionPorts {
  readonly host: Pick<UiHost, "apiOrigin" | "served">;
  readonly client: ShoalClient;
  readonly info: Live<NodeInfo>;
  readonly peers: Live<readonly Peer[]>;
  readonly isUnintroduced: ReadonlySignal<boolean>;
  readonly toasts: Toasts;
}

export interface NamedFile {
  id: string;
  name: string;
  size: number;
  unlisted?: boolean;
}

/** The link to hand on, with the addresses that this node can be reached at now. */
export function linkTo({ info }: ActionPorts, file: NamedFile): string {
  return linkWith(file, addressesForLink(info.value.value?.addresses ?? []));
}

/** The same to be drawn as a QR code, which has no name where that would make it too fine: the id and addresses suffice. */
export function codeOf({ info }: ActionPorts, file: NamedFile): string {
  const addresses = addressesForCode(info.value.value?.addresses ?? []);
  const named = linkWith(file, addresses);
  if (new TextEncoder().encode(named).length <= MAX_NAMED_CODE_BYTES) return named;
  const { name: _, ...unnamed } = file;
  return linkWith(unnamed, addresses);
}

function linkWith(
  { id, name, size, unlisted }: Omit<NamedFile, "name"> & { name?: string },
  addresses: string[],
): string {
  const given = { ...(name !== undefined && { name }), ...(unlisted && { unlisted }) };
  return linkUrl(location.href, { fileId: id, ...given, sizeBytes: size, addresses });
}

const SILENT =
  "It does not lead here yet: the node does not answer just now. Copy the link again once it does.";
const ALONE =
  "It does not lead here yet: this page is connected to nobody, as when it has just been opened, its host is down or this device is offline. Copy the link again once the page shows a peer.";
const UNMET =
  "It does not lead straight here: no peer introduces others to this page, or not yet. Who opens it finds the file through peers that both of you have.";

/** Said wherever links are made, since nothing changes it but who runs the host. */
export const UNINTRODUCED =
  "Another browser that opens a link can't reach this one: the host of this page introduces nobody to it. Start the host with --relay, or ask whoever runs it to.";

/** Why links do not lead to this node, as far as is known, and what to do; undefined where they do. */
export function unreachedText({ info, peers, isUnintroduced }: ActionPorts): string | undefined {
  if (isUnintroduced.value) return UNINTRODUCED;
  if (addressesForLink(info.value.value?.addresses ?? []).length > 0) return undefined;
  return (peers.value.value ?? []).length === 0 ? ALONE : UNMET;
}

/** The same once the node was asked: its addresses come some moments after its start, when a relay was met. */
async function lookForAddresses(app: ActionPorts): Promise<string | undefined> {
  if (unreachedText(app) === undefined) return undefined;
  try {
    await Promise.all([app.info.refresh(), app.peers.refresh()]);
  } catch {
    // The link is made of what is known.
    return SILENT;
  }
  return unreachedText(app);
}

const UNCOPIED_LINK = "The browser did not let the link be copied. Open its QR code and copy it there.";

/** No code has them; once their folders are made, they come soon enough after the tap. */
const UNCOPIED_LINKS = "The browser did not let the links be copied. Press the button again.";

export async function copyLinks(app: ActionPorts, files: readonly NamedFile[]): Promise<void> {
  try {
    const unreached = await lookForAddresses(app);
    const links = files.map((file) => linkTo(app, file));
    await navigator.clipboard.writeText(links.join("\n"));
    app.toasts.show({ text: copiedText(links, unreached) });
  } catch {
    app.toasts.show({ text: files.length > 1 ? UNCOPIED_LINKS : UNCOPIED_LINK, tone: "bad" });
  }
}

function copiedText([link, ...others]: readonly string[], unreached: string | undefined): string {
  const copied =
    others.length === 0
      ? "Link copied."
      : `${others.length + 1} links copied. Each leads to a part of the files: send all of them.`;
  const reach = unreached ?? (link === undefined ? undefined : hereAloneText(link));
  if (reach !== undefined) return `${copied} ${reach}`;
  if (others.length > 0) return copied;
  return `${copied} It works for as long as this page, or somebody else who has the file, is open.`;
}

/** Engines refuse also what comes some seconds after the tap, as on a slow phone the link to many files does. */
const NO_SHEET = "The browser did not let the link be shared. Press the button again, or copy the link.";

/** Whether the system has a sheet to share links with. */
export function canShareLinks(): boolean {
  return typeof navigator.share === "function";
}

export async function shareLink(app: ActionPorts, file: NamedFile): Promise<void> {
  try {
    const unreached = await lookForAddresses(app);
    const url = linkTo(app, file);
    await navigator.share({ title: shownName(file.name), url });
    const reach = unreached ?? hereAloneText(url);
    if (reach !== undefined) app.toasts.show({ text: reach });
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    // Neither closing the sheet nor a second tap while it is open is a failure.
    if (name === "AbortError" || name === "InvalidStateError") return;
    if (name === "NotAllowedError") app.toasts.show({ text: NO_SHEET, tone: "bad" });
    else app.toasts.showError(error);
  }
}

/**
 * A path that a media element can read, without a key. In the first seconds of a first visit there is nobody yet who
 * answers it.
 */
export async function streamUrl(app: ActionPorts, fileId: string): Promise<string> {
  await app.host.served();
  return app.host.apiOrigin + (await app.client.ticket(fileId)).url;
}

/** Hands the bytes to the browser's own download, which shows its progress. */
export function saveFile(app: ActionPorts, file: NamedFile): Promise<void> {
  return save(app, file, "download=true");
}

/** All files of a folder, which must be here. */
export function saveFolder(app: ActionPorts, list: NamedFile): Promise<void> {
  return save(app, list, "as=zip");
}

async function save(app: ActionPorts, file: NamedFile, query: string): Promise<void> {
  try {
    downloadFrom(`${await streamUrl(app, file.id)}?${query}`, () => {
      app.toasts.show({
        text: {
          file: file.name,
          after: " could not be saved. Try again, and if that does not help, load this page again first.",
        },
        tone: "bad",
      });
    });
  } catch (error) {
    app.toasts.showError(error);
  }
}

/**
 * In a frame: Chromium asks the network, not the service worker, for what a link with `download` leads to; and a link
 * without it would leave the page where the answer is a refusal. A frame that shows something was refused.
 */
function downloadFrom(url: string, onRefusal: () => void): void {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = url;
  frame.addEventListener("load", () => {
    frame.remove();
    onRefusal();
  });
  document.body.append(frame);
  // Nothing tells that the browser has taken the download over.
  setTimeout(() => frame.remove(), DOWNLOAD_FRAME_MS);
}
