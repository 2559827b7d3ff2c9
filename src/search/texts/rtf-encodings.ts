/**
 * The encodings of an RTF document's bytes: that of the document, and for what is set in a font of another script, that font's.
 * Used by rtf-text. Source: RTF 1.9.1, "Font Table".
 */
import { decoderFor } from "./decoding.ts";

/** Windows' code pages whose encoding is not called `windows-` and their number. */
const CODE_PAGES: Record<string, string> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  65001: "utf-8",
};

/** Code pages of scripts, by their number in `\fcharset`; that of the West, of none and of symbols is the document's. */
const CODE_PAGES_OF_SCRIPTS: Record<string, string> = {
  77: "10000",
  78: "932",
  79: "949",
  80: "936",
  81: "950",
  128: "932",
  129: "949",
  134: "936",
  136: "950",
  161: "1253",
  162: "1254",
  163: "1258",
  177: "1255",
  178: "1256",
  186: "1257",
  204: "1251",
  222: "874",
  238: "1250",
};

export class RtfEncodings {
  #ofDocument = decoderFor("windows-1252");
  /** Code pages, by the number of the font. */
  readonly #ofFonts = new Map<string, string>();
  readonly #decoders = new Map<string, TextDecoder>();
  /** The font that the table tells of. */
  #described = "";

  setDocument(codePage: string): void {
    this.#ofDocument = this.#decoderOf(codePage);
  }

  /** A control word of the table of fonts. */
  describe(word: string, number: string): void {
    if (word === "f") this.#described = number;
    const codePage =
      word === "fcharset" ? CODE_PAGES_OF_SCRIPTS[number] : word === "cpg" ? number : undefined;
    if (codePage !== undefined) this.#ofFonts.set(this.#described, codePage);
  }

  /** For bytes in that font. */
  of(font: string): TextDecoder {
    const codePage = this.#ofFonts.get(font);
    return codePage === undefined ? this.#ofDocument : this.#decoderOf(codePage);
  }

  #decoderOf(codePage: string): TextDecoder {
    const decoder = this.#decoders.get(codePage) ?? decoderFor(CODE_PAGES[codePage] ?? `windows-${codePage}`);
    this.#decoders.set(codePage, decoder);
    return decoder;
  }
}
