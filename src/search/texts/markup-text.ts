/**
 * The words of HTML and XML, without markup, scripts and styles. Called by read-text and packed-text; calls htmlparser2,
 * which takes whatever comes and never throws, in pieces, until there is text enough.
 */
import { Parser } from "htmlparser2";
import { DECLARATION_BYTES, MARKUP_PIECE_CHARS, MAX_MARKUP_DEPTH, MAX_TEXT_CHARS } from "./limits.ts";

/** Of XML, and of HTML in either form. */
const DECLARATION =
  /<\?xml\s[^<>]{0,200}?encoding\s*=\s*["']([\w.:-]+)|<meta\s[^<>]{0,400}?charset\s*=\s*["']?([\w.:-]+)/i;

/** Elements whose text nobody reads. */
const UNREAD = new Set([
  ...["script", "style", "template", "noscript", "iframe", "object", "nav"],
  // Field codes and deleted text of Office.
  ...["w:instrText", "w:delText"],
  // Styles, settings and deleted text of OpenDocument.
  ...["office:automatic-styles", "office:styles", "office:settings", "text:tracked-changes"],
  // Pictures of FictionBook.
  "binary",
]);

/** Elements within a line of text; the end of any other parts words. */
const INLINE = new Set([
  ...["a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp"],
  ...["small", "span", "strong", "sub", "sup", "tspan", "u", "var"],
  ...["w:r", "w:t", "a:r", "a:t", "r", "t", "text:a", "text:span"],
]);

/** The encoding that markup says it is in; empty where it says none. */
export function declaredEncoding(bytes: Uint8Array): string {
  const beginning = new TextDecoder("windows-1252").decode(bytes.subarray(0, DECLARATION_BYTES));
  const [, ofXml, ofHtml] = DECLARATION.exec(beginning) ?? [];
  return ofXml ?? ofHtml ?? "";
}

/** At most about MAX_TEXT_CHARS of text, not yet tidied. */
export function markupText(markup: string, language: "html" | "xml"): string {
  let text = "";
  let depth = 0;
  /** Elements open within one that is not read. */
  let unread = 0;
  const parser = new Parser(
    {
      onopentagname(name) {
        depth += 1;
        if (unread > 0 || UNREAD.has(name)) unread += 1;
        else if (!INLINE.has(name)) text += " ";
      },
      onopentag(name, { alt, content, ...attributes }) {
        if (unread > 0) return;
        if (name === "img" && alt !== undefined) text += ` ${alt} `;
        else if (name === "meta" && attributes.name === "description") text += ` ${content ?? ""} `;
      },
      ontext(piece) {
        // White space without end must not use up the room for text.
        if (unread === 0)
          text += piece.replace(/\s+/g, " ").slice(text.endsWith(" ") && /^\s/.test(piece) ? 1 : 0);
      },
      onclosetag(name) {
        depth -= 1;
        if (unread > 0) unread -= 1;
        else if (!INLINE.has(name)) text += " ";
      },
    },
    // XHTML, as in books, closes by it what HTML leaves open to the end: a script without text would hide the whole chapter.
    { xmlMode: language === "xml", decodeEntities: true, recognizeSelfClosing: true },
  );
  for (let at = 0; at < markup.length; at += MARKUP_PIECE_CHARS) {
    parser.write(markup.slice(at, at + MARKUP_PIECE_CHARS));
    if (text.length >= MAX_TEXT_CHARS * 2 || depth > MAX_MARKUP_DEPTH) break;
  }
  return text;
}
