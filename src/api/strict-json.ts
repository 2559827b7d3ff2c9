/**
 * JSON from strangers: JSON.parse, with what it lets pass refused first: deep nesting, a key twice, `__proto__`
 * as a key, and numbers that overflow to infinity. Called by request-body. Source: RFC 8259, I-JSON (RFC 7493).
 */
import { ApiError } from "./errors.ts";
import { MAX_JSON_DEPTH } from "./limits.ts";

/** Characters: " { } [ ] , and the first of a number. */
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A decimal with at most this many characters and no exponent is finite: the largest double has 309 digits. */
const SURELY_FINITE_CHARS = 300;

/** @throws ApiError 400 */
export function parseStrictJson(text: string): unknown {
  scan(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "Body is not valid JSON");
  }
}

/** The text of UTF-8 bytes. @throws ApiError 400 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ApiError(400, "Body is not valid UTF-8");
  }
}

/**
 * One pass over the text that knows strings, numbers and nesting, and nothing of grammar: what is no JSON at all
 * is left to JSON.parse. `open` holds the keys seen of each object around the place, or null for an array.
 */
function scan(text: string): void {
  const open: (Set<string> | null)[] = [];
  let keyComesNext = false;
  let at = 0;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = stringEnd(text, at);
      const keys = open.at(-1);
      if (keyComesNext && keys) addKey(keys, text.slice(at, end));
      keyComesNext = false;
      at = end;
      continue;
    }
    if (char === MINUS || (char >= ZERO && char <= NINE)) {
      at = numberEnd(text, at);
      continue;
    }
    if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      if (open.length === MAX_JSON_DEPTH) {
        throw new ApiError(400, `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
      }
      open.push(char === OPEN_OBJECT ? new Set() : null);
      keyComesNext = char === OPEN_OBJECT;
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
      open.pop();
      keyComesNext = false;
    } else if (char === COMMA) {
      keyComesNext = open.at(-1) instanceof Set;
    }
    at += 1;
  }
}

/** Index after the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  throw new ApiError(400, "Body is not valid JSON");
}

function addKey(keys: Set<string>, quoted: string): void {
  const key = quoted.includes("\\") ? String(unescaped(quoted)) : quoted.slice(1, -1);
  if (key === "__proto__") throw new ApiError(400, "JSON key __proto__ is not allowed");
  if (keys.has(key)) throw new ApiError(400, "JSON object has a key twice");
  keys.add(key);
}

function unescaped(quoted: string): unknown {
  try {
    return JSON.parse(quoted);
  } catch {
    throw new ApiError(400, "Body is not valid JSON");
  }
}

/** Index after the number that begins at `start`. */
function numberEnd(text: string, start: number): number {
  const pattern = /[-+.\deE]+/y;
  pattern.lastIndex = start;
  const number = pattern.exec(text)?.[0] ?? "";
  const maybeHuge = number.length > SURELY_FINITE_CHARS || /[eE]/.test(number);
  if (maybeHuge && Math.abs(Number(number)) === Number.POSITIVE_INFINITY) {
    throw new ApiError(400, "JSON number is out of range");
  }
  return start + number.length;
}
