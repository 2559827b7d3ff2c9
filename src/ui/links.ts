/**
 * Links to a file: `<page>#/get/<file id>?name=…&size=…&unlisted=1&at=<multiaddr>&at=…`. All of it stands in the fragment, which
 * browsers never send to a server. Called by the screens; also reads bare ids, ipfs:// and web+shoal: links by hand.
 * A link is a stranger's text: ids by their alphabet, names and addresses without control and bidi characters, addresses capped.
 */
import { UNSEEN } from "../spelling/unseen.ts";
import { visible } from "./elements/name-letters.ts";
import {
  MAX_LINK_ADDRESS_CHARS,
  MAX_LINK_ADDRESSES,
  MAX_LINK_NAME_CHARS,
  MAX_PASTED_LINKS,
} from "./limits.ts";

export interface FileLink {
  fileId: string;
  name?: string;
  sizeBytes?: number;
  /** Strangers are not asked for it, nor peers told of it. */
  unlisted?: boolean;
  /** The list of the folder that it is a file of. */
  folderId?: string;
  /** Multiaddrs that the file can be had from. */
  addresses: readonly string[];
}

/** CIDv1 in base32, base36, base58 or base16, and CIDv0. The node checks the rest. */
const FILE_ID =
  /^(?:b[a-z2-7]{58,110}|B[A-Z2-7]{58,110}|k[a-z0-9]{40,110}|z[1-9A-HJ-NP-Za-km-z]{40,110}|f[0-9a-f]{70,140}|Qm[1-9A-HJ-NP-Za-km-z]{44})$/;

/** What sentences put around a link, and none of ours begins or ends with but a name that is its last field. */
const BEFORE = "([{<\"'`“‘«„（「『【《";
const BEHIND = ")]}>\"'`”’».,;:!?…）」』】》。，、；：！？";

/** The fragment, `#` included. */
export function fragmentOf(link: FileLink): string {
  const fields = new URLSearchParams();
  if (link.name !== undefined) fields.set("name", link.name);
  if (link.sizeBytes !== undefined) fields.set("size", String(link.sizeBytes));
  if (link.unlisted) fields.set("unlisted", "1");
  for (const address of link.addresses.slice(0, MAX_LINK_ADDRESSES)) fields.append("at", address);
  // Slashes and colons may stand in a fragment (RFC 3986, 3.5), and addresses are full of them.
  const query = fields.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  return `#/get/${link.fileId}${query === "" ? "" : `?${query}`}`;
}

/** To a file that is here or offered: the swarm knows who has it. */
export function linkOf({ id, name, size }: { id: string; name: string; size: number }): FileLink {
  return { fileId: id, name, sizeBytes: size, addresses: [] };
}

/** `pageUrl` may have a query and a fragment of its own, which are left out. */
export function linkUrl(pageUrl: string, link: FileLink): string {
  return pageUrl.replace(/[?#].*$/s, "") + fragmentOf(link);
}

/** What stands in a link, an id, or a fragment; undefined if nothing does. */
export function parseLink(text: string): FileLink | undefined {
  const trimmed = text.trim();
  if (FILE_ID.test(trimmed)) return { fileId: asListed(trimmed), addresses: [] };
  const found =
    /#\/get\/([^?#/]+)(?:\?(.*))?$/.exec(trimmed.split(/\s/).at(-1) ?? "") ??
    /^web\+shoal:(?:\/\/)?(?:get\/)?([^?#/\s]+)\/?(?:\?(\S*))?$/i.exec(trimmed) ??
    /^(?:ipfs:\/\/|\/ipfs\/)([^?#/\s]+)\/?$/i.exec(trimmed);
  const fileId = found?.[1];
  if (fileId === undefined || !FILE_ID.test(fileId)) return undefined;
  return { fileId: asListed(fileId), ...fieldsOf(new URLSearchParams(found?.[2] ?? "")) };
}

/** Whether somebody meant a link, though it may be cut. */
export function looksLikeLink(text: string): boolean {
  return /#\/get\/|web\+shoal:|ipfs:\/\/|\/ipfs\//i.test(text);
}

/** All links in a text, as a page copies those of several files or a person wrote them in a message; one a file. */
export function parseLinks(text: string): FileLink[] {
  const links = new Map<string, FileLink>();
  for (const [word] of text.matchAll(/\S+/g)) {
    const link = parseLink(withoutAround(word));
    if (link === undefined || links.has(link.fileId)) continue;
    links.set(link.fileId, link);
    if (links.size === MAX_PASTED_LINKS) break;
  }
  return [...links.values()];
}

function withoutAround(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && BEFORE.includes(word.charAt(start))) start += 1;
  while (end > start && BEHIND.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}

/** Base32 as the node's lists spell it, so that a file that is here or offered is known by its link. */
function asListed(fileId: string): string {
  return fileId.startsWith("B") ? fileId.toLowerCase() : fileId;
}

function fieldsOf(fields: URLSearchParams): Omit<FileLink, "fileId"> {
  const name = displayName(fields.get("name") ?? "");
  const size = fields.get("size") ?? "";
  const sizeBytes = /^\d{1,16}$/.test(size) && Number.isSafeInteger(Number(size)) ? Number(size) : undefined;
  const addresses = fields
    .getAll("at")
    .filter((address) => address.startsWith("/") && address.length <= MAX_LINK_ADDRESS_CHARS)
    .filter((address) => visible(address) === address)
    .slice(0, MAX_LINK_ADDRESSES);
  return {
    ...(name !== "" && { name }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(fields.get("unlisted") === "1" && { unlisted: true }),
    addresses,
  };
}

/** A stranger's name, as far as it can be seen. */
function displayName(text: string): string {
  const shown = [...visible(text).trim()].slice(0, MAX_LINK_NAME_CHARS).join("").trim();
  return UNSEEN.test(shown) ? "" : shown;
}
