/**
 * Reads a record's metadata into SQLite's memory and finds its members there, so that texts go into columns without
 * becoming strings. Called by the table; calls the JSON scanner.
 */
import { VxError } from "../errors.ts";
import type { Pointer, SqliteEngine } from "../sql/engine.ts";
import { JsonKind, JsonSyntaxError } from "./json-cursor.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { Key, Keys } from "./keys.ts";

/** One member of a record: its key, and where its value's text lies in SQLite's memory. */
export interface Member {
  key: Key;
  kind: number;
  start: Pointer;
  end: Pointer;
}

const FIRST_ROOM_BYTES = 64 * 1024;

const SHORT_INTEGER_CHARS = 9;
const MINUS = 0x2d;
const ZERO = 0x30;
const LOOP_CHARS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Whether metadata, a text in UTF-8, may be stored: one JSON object, of at most 500 levels, without a key `__proto__`. The
 * scanner may have served before.
 * @throws VxError `invalid_request`
 */
export function checkMetadata(bytes: Uint8Array<ArrayBuffer>, scanner: JsonScanner): void {
  namingErrors(() => {
    scanner.openObject(bytes, 0, bytes.length);
    while (scanner.nextMember());
  });
  if (mayNameProto(bytes)) checkKeys(decoder.decode(bytes));
}

/** Whether there is an escape, or two underscores in a row. */
function mayNameProto(bytes: Uint8Array): boolean {
  let before = 0;
  for (const byte of bytes) {
    if (byte === BACKSLASH || (byte === UNDERSCORE && before === UNDERSCORE)) return true;
    before = byte;
  }
  return false;
}

export class RecordReader {
  /** The text as it was read last. */
  start: Pointer = 0;
  end: Pointer = 0;
  /** Its members are the first of these; of those with one key the last counts. */
  readonly members: Member[] = [];
  memberCount = 0;

  readonly #engine: SqliteEngine;
  readonly #keys: Keys;
  readonly #scanner = new JsonScanner();
  #roomBytes = 0;
  /** Where the next value without escapes, or without white space, is written: behind the text. */
  #free: Pointer = 0;
  #record = 0;

  constructor(engine: SqliteEngine, keys: Keys) {
    this.#engine = engine;
    this.#keys = keys;
  }

  /** Reads a text, and makes keys that are new. @throws VxError `invalid_request`, `capacity_exceeded` */
  read(text: string): void {
    this.#makeRoom(text.length * 3);
    this.end = this.start + this.#encode(text);
    this.#free = this.end;
    checkKeys(text);
    try {
      namingErrors(() => this.#readMembers());
    } catch (error) {
      this.#dropNewKeys();
      throw error;
    }
  }

  /** Takes back the keys that the text last read made. A record that it was to replace has its own again. */
  #dropNewKeys(): void {
    for (const { key } of this.members.slice(0, this.memberCount)) {
      if (key.records === 0 && key.pending === 0) this.#keys.remove(key);
    }
  }

  /** A member's value, if it is an integer that surely fits 32 bits. */
  shortInteger({ start, end }: Member): number | undefined {
    const { bytes } = this.#engine;
    const isNegative = bytes[start] === MINUS;
    if (end - start > SHORT_INTEGER_CHARS) return undefined;
    let value = 0;
    for (let at = isNegative ? start + 1 : start; at < end; at++)
      value = value * 10 + (bytes[at] as number) - ZERO;
    return isNegative ? -value : value;
  }

  /** A member's value as it stands there. */
  source({ start, end }: Member): string {
    return asciiOf(this.#engine.bytes, start, end);
  }

  /** Gives the bytes written. Short texts are mostly ASCII, and a loop is then quicker than the encoder. */
  #encode(text: string): number {
    const { bytes } = this.#engine;
    const { length } = text;
    for (let i = 0; length <= LOOP_CHARS; i++) {
      if (i === length) return length;
      const code = text.charCodeAt(i);
      if (code >= 0x80) break;
      bytes[this.start + i] = code;
    }
    return encoder.encodeInto(text, bytes.subarray(this.start, this.start + length * 3)).written;
  }

  #readMembers(): void {
    const scanner = this.#scanner;
    this.memberCount = 0;
    this.#record += 1;
    scanner.openObject(this.#engine.bytes, this.start, this.end);
    while (scanner.nextMember()) {
      const key = this.#key();
      if (key.lastRecord !== this.#record) {
        key.lastRecord = this.#record;
        key.lastMember = this.memberCount++;
      }
      const member = this.members[key.lastMember];
      if (member === undefined) this.members.push({ key, kind: scanner.kind, start: 0, end: 0 });
      this.#keep(this.members[key.lastMember] as Member, key);
    }
  }

  #keep(member: Member, key: Key): void {
    const scanner = this.#scanner;
    member.key = key;
    member.kind = scanner.kind;
    member.start = scanner.start;
    member.end = scanner.end;
    if (scanner.kind === JsonKind.string) {
      if (scanner.isEscaped) this.#write(member, scanner.text(scanner.start, scanner.end, true));
    } else if (scanner.isSpaced) this.#writeWithoutSpace(member);
  }

  /** Records mostly have the same keys in the same order, so the one that stood here last time is tried first. */
  #key(): Key {
    const { keyStart, keyEnd, isKeyEscaped } = this.#scanner;
    const guess = this.members[this.memberCount]?.key;
    if (guess !== undefined && !isKeyEscaped && this.#isKey(guess, keyStart, keyEnd)) return guess;
    const name = this.#scanner.text(keyStart, keyEnd, isKeyEscaped);
    return this.#keys.get(name) ?? this.#keys.add(name);
  }

  #isKey(key: Key, start: Pointer, end: Pointer): boolean {
    const { bytes } = key;
    if (bytes.length !== end - start || key.isGone) return false;
    const memory = this.#engine.bytes;
    for (let i = 0; i < bytes.length; i++) if (memory[start + i] !== bytes[i]) return false;
    return true;
  }

  #write(member: Member, text: string): void {
    const room = this.#engine.bytes.subarray(this.#free, this.start + this.#roomBytes);
    member.start = this.#free;
    this.#free += encoder.encodeInto(text, room).written;
    member.end = this.#free;
  }

  #writeWithoutSpace(member: Member): void {
    const { bytes } = this.#engine;
    const { start, end } = member;
    member.start = this.#free;
    let inString = false;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) inString = !inString;
      else if (byte <= 0x20 && !inString) continue;
      bytes[this.#free++] = byte;
      // An escaped quote ends no string.
      if (byte === BACKSLASH) bytes[this.#free++] = bytes[++at] as number;
    }
    member.end = this.#free;
  }

  /** Room for a text and for its values without escapes or white space, which are never longer than it. */
  #makeRoom(bytes: number): void {
    if (bytes * 2 <= this.#roomBytes) return;
    const wanted = Math.max(FIRST_ROOM_BYTES, bytes * 2);
    if (this.#roomBytes > 0) this.#engine.exports.free(this.start);
    this.#roomBytes = 0;
    this.start = this.#engine.allocate(wanted);
    this.#roomBytes = wanted;
  }
}

/** Numbers are in ASCII, and too short for a decoder to be quicker. */
function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number);
  return text;
}

function namingErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new VxError(
      "invalid_request",
      `Metadata must be the text of one JSON object, but ${error.message}`,
    );
  }
}

/** A `__proto__` may also be written with escapes. */
function checkKeys(text: string): void {
  const mayHaveEscapes = text.includes("\\u00") && /\\u00(?:5f|6f|70|72|74)/i.test(text);
  if (!mayHaveEscapes && !text.includes("__proto__")) return;
  let isFound = false;
  try {
    JSON.parse(text, (key: string, value: unknown) => {
      isFound ||= key === "__proto__";
      return value;
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new VxError("invalid_request", "Metadata must be the text of one JSON object");
  }
  if (isFound) throw new VxError("invalid_request", "Metadata may have no key __proto__");
}
