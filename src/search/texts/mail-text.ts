/**
 * Mail as it is kept in files: one message, a saved page, or a mailbox of many; subjects, people, what they wrote, and
 * what is attached by its name. Called by read-text; calls transfer-encodings and markup-text. Sources: RFC 5322, RFC
 * 2045 and 2046 (MIME), RFC 2231 (names of attachments), RFC 4155 (mbox).
 */
import { ENOUGH_RAW_CHARS, MAX_MAIL_DEPTH, MAX_MAIL_PARTS } from "./limits.ts";
import { declaredEncoding, markupText } from "./markup-text.ts";
import { binaryString, bodyBytes, bytesOf, headerText, inCharset } from "./transfer-encodings.ts";
import { HTML } from "./vocabularies.ts";

interface Entity {
  /** Of what is told more than once, the first; names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: string;
}

export function mailText(bytes: Uint8Array): string {
  return messageText(binaryString(bytes), 0);
}

export function mailboxText(bytes: Uint8Array): string {
  const messages = `\n\n${binaryString(bytes)}`.split(/\r?\n\r?\nFrom [^\n]*\n/).slice(1, MAX_MAIL_PARTS);
  let text = "";
  for (const message of messages) {
    if (text.length >= ENOUGH_RAW_CHARS) break;
    text += `${messageText(message, 0)}\n`;
  }
  return text;
}

function messageText(source: string, depth: number): string {
  const entity = parted(source);
  const told = ["subject", "from", "to"].map((name) => headerText(entity.headers.get(name) ?? ""));
  return [...told, entityText(entity, depth)].filter((text) => text !== "").join("\n");
}

function parted(source: string): Entity {
  const end = /\r?\n\r?\n/.exec(source);
  const head = source.slice(0, end?.index ?? source.length).replace(/\r?\n[ \t]+/g, " ");
  const headers = new Map<string, string>();
  for (const line of head.split(/\r?\n/)) {
    const at = line.indexOf(":");
    const name = line.slice(0, Math.max(0, at)).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(at + 1).trim());
  }
  return { headers, body: end === null ? "" : source.slice(end.index + end[0].length) };
}

function entityText(entity: Entity, depth: number): string {
  const { headers, body } = entity;
  if (depth > MAX_MAIL_DEPTH) return "";
  const type = headers.get("content-type") ?? "text/plain";
  const isOf = (start: string) => type.toLowerCase().startsWith(start);
  const attached = attachedName(headers);
  if (attached !== "" && !isOf("multipart/")) return attached;
  if (isOf("multipart/")) return multipartText(body, type, depth);
  if (isOf("message/rfc822")) return messageText(body, depth + 1);
  if (!isOf("text/")) return "";
  const bytes = bodyBytes(body, headers.get("content-transfer-encoding") ?? "");
  const text = inCharset(bytes, parameter(type, "charset") || declaredEncoding(bytes));
  return isOf("text/html") ? markupText(text, HTML) : text;
}

/** Of the same in several forms the plain one, where it is not empty. */
function multipartText(body: string, type: string, depth: number): string {
  const boundary = parameter(type, "boundary");
  if (boundary === "") return "";
  const parts = `\n${body}`.split(`\n--${boundary}`).slice(1, MAX_MAIL_PARTS);
  const entities = parts
    .filter((part) => !part.startsWith("--"))
    // The line break stays: where another follows, the part has no headers.
    .map((part) => parted(part.replace(/^[^\n]*/, "")));
  const texts = entities.map((entity) => () => entityText(entity, depth + 1));
  if (!/^multipart\/alternative/i.test(type)) return texts.map((text) => text()).join("\n");
  const plain = entities.findIndex(({ headers }) =>
    /^text\/plain|^$/i.test(headers.get("content-type") ?? ""),
  );
  return texts[plain]?.().trim() || (texts.at(-1)?.() ?? "");
}

function attachedName(headers: Entity["headers"]): string {
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameter(disposition, "filename") || parameter(headers.get("content-type") ?? "", "name");
  return /^attachment/i.test(disposition) ||
    !/^(?:text|multipart|message)\//i.test(headers.get("content-type") ?? "text/")
    ? name
    : "";
}

/** Empty where there is none. */
function parameter(header: string, name: string): string {
  const pattern = new RegExp(`;\\s*${name}(\\*(?:0\\*?)?)?\\s*=\\s*(?:"([^"]*)"|([^\\s;]*))`, "i");
  const [, form, quoted, bare] = pattern.exec(header) ?? [];
  const value = quoted ?? bare ?? "";
  if (form === undefined || !form.endsWith("*")) return headerText(value);
  const [, charset = "", text = value] = /^([^']*)'[^']*'(.*)$/.exec(value) ?? [];
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_whole, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return inCharset(bytesOf(bytes), charset);
}
