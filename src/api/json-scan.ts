/**
 * A place in a JSON text, and the steps over it that need no grammar: white space, strings, whole values with
 * their brackets. Called by json-reader, which leaves the rest of the grammar to JSON.parse or to its receiver.
 */
import { ApiError } from "./errors.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  E,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from "./json-marks.ts";
import { MAX_JSON_DEPTH, MAX_QUOTED_CHARS } from "./limits.ts";

/** A decimal with at most this many characters and no exponent is finite: the largest double has 309 digits. */
const SURELY_FINITE_CHARS = 300;

/** Steps of a scan between two chances to pause: tens of microseconds. */
const STEPS_A_TURN = 1024;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function malformed(): ApiError {
  return new ApiError(400, "Body is not valid JSON");
}

/** What is said of a number that what is to hold it does not. */
export function outOfRange(text: string): string {
  const shown = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
  return `JSON number ${shown} is out of range`;
}

export class JsonScan {
  at = 0;
  readonly #bytes: Uint8Array;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next character after white space, or undefined at the end. */
  peek(): number | undefined {
    for (; ; this.at++) {
      const char = this.#bytes[this.at];
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return char;
    }
  }

  take(char: number): void {
    if (this.peek() !== char) throw malformed();
    this.at += 1;
  }

  /** Steps over an opening bracket. */
  enter(): void {
    this.#open();
    this.at += 1;
  }

  /** Steps over a closing bracket. */
  leave(): void {
    this.#depth -= 1;
    this.at += 1;
  }

  /** Steps over `separator` to the next element, which may not be missing; or stands at `close`. */
  separator(separator: number, close: number): number | undefined {
    const next = this.peek();
    if (next === close) return next;
    this.take(separator);
    const element = this.peek();
    if (element === close) throw malformed();
    return element;
  }

  /** Steps over a key, which is kept in `seen`. @throws ApiError 400 for `__proto__`, one that was seen, and one too many */
  key(seen: Set<string>, maxMembers: number): string {
    const start = this.at;
    this.#skipString();
    const quoted = this.text(start);
    const key = quoted.includes("\\") ? unescaped(quoted) : quoted.slice(1, -1);
    if (key === "__proto__") throw new ApiError(400, "JSON key __proto__ is not allowed");
    if (seen.has(key)) throw new ApiError(400, "JSON object has a key twice");
    seen.add(key);
    if (seen.size > maxMembers) throw new ApiError(400, `JSON object has over ${maxMembers} members`);
    return key;
  }

  /** Steps over one value, in which no object has more than so many members. @throws ApiError 400 */
  *skip(maxMembers = Number.POSITIVE_INFINITY): Generator<void, void> {
    /** Keys of each object around the place, or null for an array. */
    const open: (Set<string> | null)[] = [];
    let keyComesNext = false;
    for (let steps = 1; ; steps++) {
      if (steps % STEPS_A_TURN === 0) yield;
      const char = this.peek();
      const inside = open.at(-1);
      if (char === undefined) throw malformed();
      if (char === QUOTE) {
        if (keyComesNext && inside) this.key(inside, maxMembers);
        else this.#skipString();
        keyComesNext = false;
      } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
        this.enter();
        open.push(char === OPEN_OBJECT ? new Set() : null);
        keyComesNext = char === OPEN_OBJECT;
      } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
        if (inside === undefined || (inside === null) !== (char === CLOSE_ARRAY)) throw malformed();
        this.leave();
        open.pop();
        keyComesNext = false;
      } else if ((char === COMMA || char === COLON) && inside !== undefined) {
        keyComesNext = char === COMMA && inside !== null;
        this.at += 1;
      } else this.#skipWord(char);
      if (open.length === 0) return;
    }
  }

  /** The text from a place to here. @throws ApiError 400 for bytes that are no UTF-8 */
  text(start: number): string {
    try {
      return decoder.decode(this.#bytes.subarray(start, this.at));
    } catch {
      throw new ApiError(400, "Body is not valid UTF-8");
    }
  }

  #open(): void {
    if (this.#depth === MAX_JSON_DEPTH) {
      throw new ApiError(400, `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    this.#depth += 1;
  }

  #skipString(): void {
    const start = this.at + 1;
    let end = this.#bytes.indexOf(QUOTE, start);
    while (end !== -1) {
      let backslashes = 0;
      while (end - 1 - backslashes >= start && this.#bytes[end - 1 - backslashes] === BACKSLASH)
        backslashes += 1;
      if (backslashes % 2 === 0) {
        this.at = end + 1;
        return;
      }
      end = this.#bytes.indexOf(QUOTE, end + 1);
    }
    throw malformed();
  }

  /** A number, a literal, or what is neither: up to the next mark of structure. */
  #skipWord(first: number): void {
    if (endsWord(first)) throw malformed();
    const start = this.at;
    let hasExponent = false;
    for (this.at += 1; ; this.at++) {
      const char = this.#bytes[this.at];
      if (char === undefined || endsWord(char)) break;
      hasExponent ||= (char | 0x20) === E;
    }
    const isNumber = first === MINUS || (first >= ZERO && first <= NINE);
    if (!isNumber || !(hasExponent || this.at - start > SURELY_FINITE_CHARS)) return;
    const text = this.text(start);
    if (Math.abs(Number(text)) === Number.POSITIVE_INFINITY) throw new ApiError(400, outOfRange(text));
  }
}

/** White space, and the marks of structure. */
function endsWord(char: number): boolean {
  return (
    char <= 0x20 ||
    char === QUOTE ||
    char === COMMA ||
    char === COLON ||
    char === OPEN_ARRAY ||
    char === CLOSE_ARRAY ||
    char === OPEN_OBJECT ||
    char === CLOSE_OBJECT
  );
}

function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw malformed();
  }
}
