/**
 * A place in JSON text, in UTF-8 where it lies, that moves on over whole values without making objects. Called by the
 * JSON scanner.
 * Source: RFC 8259; takes exactly what JSON.parse takes, to a depth of MAX_JSON_DEPTH.
 */
import { MAX_JSON_DEPTH } from "./limits.ts";

export const JsonKind = {
  null: 0,
  false: 1,
  true: 2,
  integer: 3,
  real: 4,
  string: 5,
  array: 6,
  object: 7,
} as const;

export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const LETTER_N = 0x6e;
const LETTER_U = 0x75;

const literals = new Map(
  Object.entries({ n: "null", t: "true", f: "false" }).map(([first, word]) => [
    first.charCodeAt(0),
    [...word].map((char) => char.charCodeAt(0)),
  ]),
);

export class JsonCursor {
  at = 0;
  /** Set, and never cleared here, when something passed over had: */
  sawEscape = false;
  sawSpace = false;
  sawFraction = false;

  #bytes = new Uint8Array();
  #limit = 0;

  move(bytes: Uint8Array<ArrayBuffer>, start: number, end: number): void {
    this.#bytes = bytes;
    this.at = start;
    this.#limit = end;
  }

  get isAtEnd(): boolean {
    return this.at === this.#limit;
  }

  /** Passes over a value at this depth (the outermost object is 1) and gives its kind. */
  skipValue(depth: number): number {
    const byte = this.at < this.#limit ? (this.#bytes[this.at] as number) : 0;
    if (byte === QUOTE) {
      this.skipString();
      return JsonKind.string;
    }
    if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      this.#skipNested(byte, depth);
      return byte === OPEN_BRACE ? JsonKind.object : JsonKind.array;
    }
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      this.#skipNumber();
      return this.sawFraction ? JsonKind.real : JsonKind.integer;
    }
    const word = literals.get(byte);
    if (word === undefined) throw this.wrong();
    for (const letter of word) this.take(letter);
    return word.length === 5 ? JsonKind.false : byte === LETTER_N ? JsonKind.null : JsonKind.true;
  }

  #skipNested(opening: number, depth: number): void {
    if (depth > MAX_JSON_DEPTH) throw new JsonSyntaxError(`it nests deeper than ${MAX_JSON_DEPTH} levels`);
    // `]` is two behind `[`, and `}` behind `{`.
    const closing = opening + 2;
    this.at += 1;
    this.skipSpace();
    if (this.byte() === closing) {
      this.at += 1;
      return;
    }
    for (;;) {
      if (opening === OPEN_BRACE) {
        if (this.byte() !== QUOTE) throw this.wrong();
        this.skipString();
        this.skipSpace();
        this.take(COLON);
        this.skipSpace();
      }
      this.skipValue(depth + 1);
      this.skipSpace();
      if (this.byte() === closing) break;
      this.take(COMMA);
      this.skipSpace();
    }
    this.at += 1;
  }

  /** From its opening quote to behind its closing one. */
  skipString(): void {
    const bytes = this.#bytes;
    let at = this.at + 1;
    for (; at < this.#limit; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return;
      }
      if (byte < 0x20) break;
      if (byte !== BACKSLASH) continue;
      this.sawEscape = true;
      at += 1;
      const escaped = bytes[at];
      if (escaped === LETTER_U) {
        for (let digit = 0; digit < 4; digit++) if (!isHexDigit(bytes[++at] ?? 0)) throw this.wrong(at);
      } else if (!escapes.has(escaped as number)) break;
    }
    throw this.wrong(at);
  }

  #skipNumber(): void {
    if (this.byte() === MINUS) this.at += 1;
    if (this.byte() === ZERO) this.at += 1;
    else this.#skipDigits();
    if (this.byte() === DOT) {
      this.sawFraction = true;
      this.at += 1;
      this.#skipDigits();
    }
    // e or E
    if (((this.byte() as number) | 0x20) !== 0x65) return;
    this.sawFraction = true;
    this.at += 1;
    if (this.byte() === MINUS || this.byte() === PLUS) this.at += 1;
    this.#skipDigits();
  }

  /** One at least. */
  #skipDigits(): void {
    const start = this.at;
    while (this.at < this.#limit && isDigit(this.#bytes[this.at] as number)) this.at += 1;
    if (this.at === start) throw this.wrong();
  }

  skipSpace(): void {
    for (; this.at < this.#limit; this.at++) {
      const byte = this.#bytes[this.at] as number;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.sawSpace = true;
    }
  }

  take(byte: number): void {
    if (this.byte() !== byte) throw this.wrong();
    this.at += 1;
  }

  /** 0 at the end, which JSON has nowhere. */
  byte(): number {
    return this.at < this.#limit ? (this.#bytes[this.at] as number) : 0;
  }

  wrong(at = this.at): JsonSyntaxError {
    return new JsonSyntaxError(at >= this.#limit ? "it ends too soon" : "it is not JSON");
  }
}

const escapes = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
