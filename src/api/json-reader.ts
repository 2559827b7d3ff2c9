/**
 * Reads JSON from strangers where it lies in UTF-8, in turns, so that a body of 64 MiB keeps no other request
 * waiting. Called by request-body and vx/json-route; calls json-scan for what stands between the values it knows. Refused
 * besides what is no JSON: deep nesting, a key twice, `__proto__` as a key, numbers that overflow to infinity.
 *
 * A shape says how a value is wanted. One that does not fit its shape is read as any other value, for the schema
 * behind to refuse. Source: RFC 8259, I-JSON (RFC 7493).
 */
import { ApiError } from "./errors.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-marks.ts";
import { JsonScan, malformed } from "./json-scan.ts";
import { MAX_JSON_MEMBERS, MAX_PLAIN_CHARS } from "./limits.ts";
import { NumberReader } from "./number-reader.ts";

export type Shape =
  /** As JSON.parse gives it. */
  | "value"
  /** So too, but a whole number that would be rounded as the text that stood there. */
  | "exact"
  /** Its text, but null for null; whether it is sound JSON, beyond its brackets and strings, is for the receiver to say. */
  | "text"
  /** An array of numbers alone, as a Float32Array. */
  | "numbers"
  | ObjectShape
  | ArrayShape;

export interface ObjectShape {
  keys: Readonly<Record<string, Shape>>;
  /** How keys that are not named are read; by default as values. */
  others?: Shape;
}

export interface ArrayShape {
  of: Shape;
  /** What stands in the array for an element; may throw. */
  map?: (element: unknown, index: number) => unknown;
}

/** Bytes of an object's members between two chances to pause: about a millisecond where all of them are short. */
const BYTES_A_TURN = 1024;

/** Gives the value at the end, and chances to pause before, microseconds apart. @throws ApiError 400, 413 */
export function* readJson(bytes: Uint8Array, shape: Shape): Generator<void, unknown> {
  const reader = new JsonReader(bytes);
  const value = yield* reader.value(shape);
  reader.end();
  return value;
}

class JsonReader {
  readonly #scan: JsonScan;
  readonly #numbers: NumberReader;

  constructor(bytes: Uint8Array) {
    this.#scan = new JsonScan(bytes);
    this.#numbers = new NumberReader(bytes);
  }

  *value(shape: Shape): Generator<void, unknown> {
    const scan = this.#scan;
    const first = scan.peek();
    if (shape === "numbers") {
      if (first !== OPEN_ARRAY) return yield* this.#any();
      const read = yield* this.#numbers.array(scan.at);
      if (read === undefined) return yield* this.#any();
      scan.at = read.end;
      return read.numbers;
    }
    if (typeof shape === "object") {
      if ("keys" in shape && first === OPEN_OBJECT) return yield* this.#object(shape);
      if ("of" in shape && first === OPEN_ARRAY) return yield* this.#array(shape);
    }
    if (shape === "text") {
      const text = yield* this.#text();
      return text === "null" ? null : text;
    }
    return yield* this.#any(shape === "exact");
  }

  end(): void {
    if (this.#scan.peek() !== undefined) throw malformed();
  }

  *#text(maxMembers?: number): Generator<void, string> {
    const start = this.#scan.at;
    yield* this.#scan.skip(maxMembers);
    return this.#scan.text(start);
  }

  *#any(isExact = false): Generator<void, unknown> {
    const text = yield* this.#text(MAX_JSON_MEMBERS);
    if (text.length > MAX_PLAIN_CHARS) {
      throw new ApiError(413, `A value may have ${MAX_PLAIN_CHARS} characters, but for vectors and metadata`);
    }
    try {
      const value: unknown = JSON.parse(text);
      return isExact && isRounded(text, value) ? text : value;
    } catch {
      throw malformed();
    }
  }

  *#object({ keys, others = "value" }: ObjectShape): Generator<void, Record<string, unknown>> {
    const scan = this.#scan;
    const object: Record<string, unknown> = {};
    const seen = new Set<string>();
    let pausedAt = scan.at;
    scan.enter();
    for (let next = scan.peek(); next !== CLOSE_OBJECT; next = scan.separator(COMMA, CLOSE_OBJECT)) {
      if (next !== QUOTE) throw malformed();
      const key = scan.key(seen, MAX_JSON_MEMBERS);
      scan.take(COLON);
      object[key] = yield* this.value((Object.hasOwn(keys, key) ? keys[key] : undefined) ?? others);
      if (scan.at - pausedAt < BYTES_A_TURN) continue;
      pausedAt = scan.at;
      yield;
    }
    scan.leave();
    return object;
  }

  *#array({ of, map }: ArrayShape): Generator<void, unknown[]> {
    const scan = this.#scan;
    const array: unknown[] = [];
    scan.enter();
    for (let next = scan.peek(); next !== CLOSE_ARRAY; next = scan.separator(COMMA, CLOSE_ARRAY)) {
      const element = yield* this.value(of);
      array.push(map === undefined ? element : map(element, array.length));
      yield;
    }
    scan.leave();
    return array;
  }
}

function isRounded(text: string, value: unknown): boolean {
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(text);
}

/** Whether bytes are one JSON value as this API takes it; for short bodies, since it pauses nowhere. @throws ApiError 400 */
export function checkJson(bytes: Uint8Array): void {
  const turns = readJson(bytes, "value");
  while (!turns.next().done);
}
