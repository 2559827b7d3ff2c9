/**
 * The words of markup, without what its vocabulary leaves out. Called by read-text and by the readers of what has markup in it;
 * calls htmlparser2, which takes whatever comes and never throws, in pieces, until there is text enough.
 */
import { Parser } from "htmlparser2";
import { DECLARATION_BYTES, ENOUGH_RAW_CHARS, MARKUP_PIECE_CHARS, MAX_MARKUP_DEPTH } from "./limits.ts";
import { HTML, type OpenElement, type Vocabulary } from "./vocabularies.ts";

/** Of XML, and of HTML in either form. */
const DECLARATION =
  /<\?xml\s[^<>]{0,200}?encoding\s*=\s*["']([\w.:-]+)|<meta\s[^<>]{0,400}?charset\s*=\s*["']?([\w.:-]+)/i;

/** What text has that is markup itself. */
const MARKUP = /<[a-z!/]|&[a-z#]/i;

/** An element that is open, and what is to be done with its text. */
interface Frame extends OpenElement {
  isLeftOut: boolean;
  isRead: boolean;
  /** Where its text begins. */
  start: number;
}

/** The encoding that markup says it is in; empty where it says none. */
export function declaredEncoding(bytes: Uint8Array): string {
  const beginning = new TextDecoder("windows-1252").decode(bytes.subarray(0, DECLARATION_BYTES));
  const [, ofXml, ofHtml] = DECLARATION.exec(beginning) ?? [];
  return ofXml ?? ofHtml ?? "";
}

/** About ENOUGH_RAW_CHARS of text at most, not yet tidied. */
export function markupText(markup: string, vocabulary: Vocabulary): string {
  const { isXml, leftOut, only, inline, told, escaped } = vocabulary;
  const outermost: Frame = {
    name: "",
    attributes: {},
    isLeftOut: false,
    isRead: only === undefined,
    start: 0,
  };
  const open: Frame[] = [outermost];
  let text = "";
  /** Markup that stands as text in the element becomes text. */
  const readEscaped = ({ start }: Frame) => {
    const inner = text.slice(start);
    if (MARKUP.test(inner)) text = `${text.slice(0, start)} ${markupText(inner, HTML)}`;
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const parent = open.at(-1) as Frame;
        const isLeftOut = parent.isLeftOut || leftOut.has(name);
        const isRead = !isLeftOut && (parent.isRead || only?.(name, parent) === true);
        if (!isLeftOut && !inline(name)) text += " ";
        const words = isLeftOut ? undefined : told?.(name, attributes);
        if (words) text += ` ${words} `;
        open.push({ name, attributes, isLeftOut, isRead, start: text.length });
      },
      ontext(piece) {
        if (open.at(-1)?.isRead !== true) return;
        // White space without end must not use up the room for text.
        text += piece.replace(/\s+/g, " ").slice(text.endsWith(" ") && /^\s/.test(piece) ? 1 : 0);
      },
      onclosetag(name) {
        const frame = open.length > 1 ? (open.pop() as Frame) : outermost;
        if (frame.isLeftOut) return;
        if (escaped?.has(name) === true) readEscaped(frame);
        if (!inline(name)) text += " ";
      },
    },
    // XHTML, as in books, closes by it what HTML leaves open to the end: a script without text would hide the whole chapter.
    { xmlMode: isXml, decodeEntities: true, recognizeSelfClosing: true },
  );
  for (let at = 0; at < markup.length; at += MARKUP_PIECE_CHARS) {
    parser.write(markup.slice(at, at + MARKUP_PIECE_CHARS));
    if (text.length >= ENOUGH_RAW_CHARS || open.length > MAX_MARKUP_DEPTH) break;
  }
  const unfinished = open.find(({ name, isLeftOut }) => !isLeftOut && escaped?.has(name) === true);
  if (unfinished !== undefined) readEscaped(unfinished);
  return text;
}
