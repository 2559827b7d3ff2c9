/**
 * Makes a file name that came from outside safe to show, log and use as the last part of a path. Called
 * wherever a name enters: sharing, announcements, uploads. Escaping for HTML or headers stays the job of whoever
 * writes those. Sources: Unicode UAX 9 (bidirectional controls), Windows "Naming Files" (trailing dots, spaces).
 */
import { UNSEEN } from "../spelling/unseen.ts";
import { MAX_NAME_BYTES } from "./limits.ts";

/** The name given to what has none left. */
export const UNNAMED = "unnamed";

/**
 * Control characters, line separators, bidirectional and other invisible formatting; the two joiners that scripts and
 * emoji need stay.
 */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}]/gu;
const LONE_SURROGATE = /\p{Cs}/u;
const PATH_SEPARATORS = /[/\\]/g;
/** Windows drops these, so two names would become one. */
const TRAILING = /[\s.]+$/u;
const LEADING = /^\s+/u;
const MAX_EXTENSION_CHARS = 16;
const EXTENSION = new RegExp(`\\.[a-z0-9]{1,${MAX_EXTENSION_CHARS}}$`, "i");

/** Of UTF-8, for a code unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A name without separators, controls or tricks of direction; at most MAX_NAME_BYTES of UTF-8; never empty, `.` or `..`. One
 * that is too long keeps its extension.
 */
export function safeFileName(name: string): string {
  // Only the start and the end can survive, and a name of megabytes must not cost a regular expression over all of it.
  const visible = plain(name.slice(0, MAX_NAME_BYTES * 4));
  const start = cutToBytes(visible, MAX_NAME_BYTES);
  const isWhole = start === visible && name.length <= MAX_NAME_BYTES * 4;
  const cut = (isWhole ? start : cutBeforeExtension(visible, name)).replace(TRAILING, "");
  return UNSEEN.test(cut) ? UNNAMED : cut;
}

function plain(text: string): string {
  return wellFormed(text).replace(INVISIBLE, "").replace(PATH_SEPARATORS, "_").replace(LEADING, "");
}

/** `visible` is longer than a name may be, or the beginning of one that is. */
function cutBeforeExtension(visible: string, name: string): string {
  const end = plain(name.slice(-2 * MAX_EXTENSION_CHARS)).replace(TRAILING, "");
  const extension = EXTENSION.exec(end)?.[0] ?? "";
  const stem = cutToBytes(visible, MAX_NAME_BYTES - extension.length).replace(TRAILING, "");
  return stem === "" ? "" : stem + extension;
}

/** Lone surrogates become U+FFFD, as they would on their way through UTF-8. */
function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? decoder.decode(encoder.encode(text)) : text;
}

/** The longest start that fits, never ending inside a code point. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
