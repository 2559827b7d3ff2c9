/**
 * Arrays of decimal numbers in a JSON text, into float32 without a string or a double object for each: what a batch of
 * vectors mostly is. Called by json-reader. Gives bit for bit what Float32Array.from(JSON.parse(text)) gives, but
 * refuses numbers beyond what float32 holds.
 */
import { VxError } from "../vx/errors.ts";
import { CLOSE_ARRAY, COMMA, DOT, E, MINUS, OPEN_ARRAY, PLUS, ZERO } from "./json-marks.ts";
import { outOfRange } from "./json-scan.ts";

/** Digits that are summed up in a double; later ones go to Number. */
const MAX_DIGITS = 19;

/** Powers of ten that are exact as doubles. */
const POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power);

/**
 * Relative error of the quick sum, with room: 4 of 19 digits are rounded on the way in, once each for product and
 * sum, and the power once; each time by 2^-53 at most.
 */
const ERROR = 2 ** -49;

/** Numbers between two chances to pause: tens of microseconds. */
const NUMBERS_A_TURN = 4096;

const latin1 = new TextDecoder("latin1");

export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Of the digits last stepped over. */
  #sum = 0;
  #room = new Float32Array(1024);

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The array at `start`, and where it ends; undefined if it holds anything but numbers. @throws VxError `invalid_vector` */
  *array(start: number): Generator<void, { numbers: Float32Array; end: number } | undefined> {
    if (this.#bytes[start] !== OPEN_ARRAY) return undefined;
    this.#at = start + 1;
    let count = 0;
    if (this.#peek() === CLOSE_ARRAY) return { numbers: new Float32Array(0), end: this.#at + 1 };
    for (;;) {
      this.#peek();
      const number = this.#number();
      if (number === undefined) return undefined;
      if (count === this.#room.length) this.#grow();
      this.#room[count++] = number;
      const next = this.#peek();
      this.#at += 1;
      if (next === CLOSE_ARRAY) return { numbers: this.#room.slice(0, count), end: this.#at };
      if (next !== COMMA) return undefined;
      if (count % NUMBERS_A_TURN === 0) yield;
    }
  }

  #peek(): number | undefined {
    for (; ; this.#at++) {
      const char = this.#bytes[this.#at];
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return char;
    }
  }

  #grow(): void {
    const larger = new Float32Array(this.#room.length * 2);
    larger.set(this.#room);
    this.#room = larger;
  }

  /** Steps over one number by the grammar of JSON; undefined if there is none. */
  #number(): number | undefined {
    const start = this.#at;
    const isNegative = this.#bytes[start] === MINUS;
    if (isNegative) this.#at += 1;
    this.#sum = 0;
    const whole = this.#digits();
    if (whole === 0 || (whole > 1 && this.#bytes[this.#at - whole] === ZERO)) return undefined;
    let fraction = 0;
    if (this.#bytes[this.#at] === DOT) {
      this.#at += 1;
      fraction = this.#digits();
      if (fraction === 0) return undefined;
    }
    const sum = this.#sum;
    let power = -fraction;
    if (((this.#bytes[this.#at] ?? 0) | 0x20) === E) {
      this.#at += 1;
      const exponent = this.#exponent();
      if (exponent === undefined) return undefined;
      power += exponent;
    }
    const quick = whole + fraction <= MAX_DIGITS ? scaled(sum, power) : undefined;
    if (quick === undefined) return this.#exact(start);
    return isNegative ? -quick : quick;
  }

  /** Steps over digits, which are put behind those of the sum, and tells how many there were. */
  #digits(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let sum = this.#sum;
    for (let at = start; ; at++) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) {
        this.#sum = sum;
        this.#at = at;
        return at - start;
      }
      sum = sum * 10 + digit;
    }
  }

  #exponent(): number | undefined {
    const sign = this.#bytes[this.#at];
    if (sign === MINUS || sign === PLUS) this.#at += 1;
    this.#sum = 0;
    if (this.#digits() === 0) return undefined;
    return sign === MINUS ? -this.#sum : this.#sum;
  }

  #exact(start: number): number {
    const text = latin1.decode(this.#bytes.subarray(start, this.#at));
    const number = Number(text);
    if (Math.abs(Math.fround(number)) !== Number.POSITIVE_INFINITY) return number;
    throw new VxError("invalid_vector", outOfRange(text));
  }
}

/** sum * 10^power, where that surely rounds to the float32 that the exact number rounds to, and that is finite. */
function scaled(sum: number, power: number): number | undefined {
  if (sum === 0) return 0;
  const factor = POWERS[Math.abs(power)];
  if (factor === undefined) return undefined;
  const number = power < 0 ? sum / factor : sum * factor;
  const most = Math.fround(number * (1 + ERROR));
  return Math.fround(number * (1 - ERROR)) === most && most !== Number.POSITIVE_INFINITY ? number : undefined;
}
