/**
 * Functions of arrays in metadata. Added by the metadata index to its database.
 *
 * `json_array_contains(array, value)` is 1 if an element equals the value as SQLite compares them, else 0:
 * `EXISTS (SELECT 1 FROM json_each(array) WHERE atom = value)`, in a tenth of the time. What is no array contains
 * nothing; NULL gives NULL. `json_array_contains_any(array, value, ...)` and `json_array_contains_all` ask for some or
 * each of the values, and there a value that is itself an array's text stands for its elements. Their work grows as one array's
 * length times the other's, and SQLite looks at its clock between functions alone, so they look at it, too.
 */
import { FunctionCall, ValueType } from "../sql/arguments.ts";
import { type Database, TOO_LONG } from "../sql/database.ts";
import { JsonKind, JsonSyntaxError } from "./json-cursor.ts";
import { JsonScanner } from "./json-scanner.ts";
import { ELEMENTS_A_LOOK } from "./limits.ts";

const OPEN_BRACKET = 0x5b;

/** A number as f64 has it, and exactly where it is an integer of SQLite's. */
interface Numeral {
  number: number;
  integer: bigint | undefined;
}

/** What an element is compared with: a text, where it lies, or a number. */
type Wanted = { bytes: Uint8Array; start: number; end: number } | Numeral;

const encoder = new TextEncoder();

/** Ends a function at its statement's deadline. */
class TooLate extends Error {}

export function addArrayFunctions(database: Database, facetFunction: string): void {
  const call = new FunctionCall(database);
  const elements = new JsonScanner();
  const wantedElements = new JsonScanner();
  /** Elements compared since the last look at the clock. */
  let compared = 0;

  const lookAtClock = () => {
    compared = 0;
    if (performance.now() > database.deadlineMs) throw new TooLate();
  };

  /** Whether an element of the array passes. What is no array has none. */
  const some = (scanner: JsonScanner, argument: number, passes: () => boolean): boolean => {
    if (call.type(argument) !== ValueType.text) return false;
    const start = call.address(argument);
    const end = start + call.sizeBytes(argument);
    if (call.bytes[start] !== OPEN_BRACKET) return false;
    try {
      scanner.openArray(call.bytes, start, end);
      while (scanner.nextElement()) {
        if (++compared === ELEMENTS_A_LOOK) lookAtClock();
        if (passes()) return true;
      }
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
    }
    return false;
  };

  const contains = (wanted: Wanted | undefined) => {
    const { bytes } = call;
    return wanted !== undefined && some(elements, 0, () => isEqual(elements, bytes, wanted));
  };

  /** Undefined for a blob, which equals nothing that JSON holds. */
  const wantedOf = (argument: number): Wanted | undefined => {
    if (call.type(argument) === ValueType.blob) return undefined;
    if (call.type(argument) === ValueType.text) {
      const start = call.address(argument);
      return { bytes: call.bytes, start, end: start + call.sizeBytes(argument) };
    }
    const isInteger = call.type(argument) === ValueType.integer;
    return { number: call.real(argument), integer: isInteger ? call.integer(argument) : undefined };
  };

  /** The values of an argument: those in it if it is an array. Stops at the first that decides. */
  const someWanted = (argument: number, passes: (wanted: Wanted | undefined) => boolean): boolean => {
    let isArray = false;
    const decided = some(wantedElements, argument, () => {
      isArray = true;
      const wanted = elementWanted(wantedElements);
      return wanted !== undefined && passes(wanted);
    });
    return decided || (!isArray && passes(wantedOf(argument)));
  };

  const add = (name: string, argumentCount: number, run: () => boolean) =>
    database.addFunction(name, argumentCount, (context, count, values) => {
      call.open(context, count, values);
      if (call.hasNull) return call.giveNull();
      call.settleTexts();
      try {
        return call.giveInteger(run() ? 1 : 0);
      } catch (error) {
        if (!(error instanceof TooLate)) throw error;
        return call.fail(TOO_LONG);
      }
    });

  const someArgument = (passes: (wanted: Wanted | undefined) => boolean) => {
    for (let i = 1; i < call.count; i++) if (someWanted(i, passes)) return true;
    return false;
  };

  add("json_array_contains", 2, () => contains(wantedOf(1)));
  add("json_array_contains_any", -1, () => someArgument(contains));
  add("json_array_contains_all", -1, () => !someArgument((wanted) => !contains(wanted)));
  add(facetFunction, 2, () => {
    const start = call.address(1);
    const end = start + call.sizeBytes(1);
    const { bytes } = call;
    return some(elements, 0, () => {
      // Most elements are plain texts, which need no decoding.
      if (elements.kind !== JsonKind.string || elements.isEscaped) return isFacet(elements, call.text(1));
      return isSame(bytes, elements.start, elements.end, bytes, start, end);
    });
  });
}

/** Whether the element met last is a facet's value: a text itself, a number or boolean by its text. */
export function isFacet(scanner: JsonScanner, wanted: string): boolean {
  switch (scanner.kind) {
    case JsonKind.string: {
      const text = scanner.text(scanner.start, scanner.end, scanner.isEscaped);
      return text === wanted || (text.length === wanted.length && inUtf8(text) === inUtf8(wanted));
    }
    case JsonKind.integer:
    case JsonKind.real: {
      const source = scanner.source();
      // Integers beyond 2^53 would round to others.
      const isExact = scanner.kind === JsonKind.real || Number.isSafeInteger(Number(source));
      return source === wanted || (isExact && String(Number(source)) === wanted);
    }
    case JsonKind.true:
      return wanted === "true";
    case JsonKind.false:
      return wanted === "false";
    default:
      return false;
  }
}

/** What is left of a text in a column, which cannot hold half of a surrogate pair: texts that JavaScript cut may end in one. */
function inUtf8(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function isEqual(scanner: JsonScanner, memory: Uint8Array, wanted: Wanted): boolean {
  if ("bytes" in wanted) {
    if (scanner.kind !== JsonKind.string) return false;
    const { bytes, start, end } = wanted;
    if (!scanner.isEscaped) return isSame(memory, scanner.start, scanner.end, bytes, start, end);
    const text = encoder.encode(scanner.text(scanner.start, scanner.end, true));
    return isSame(text, 0, text.length, bytes, start, end);
  }
  const element = elementWanted(scanner);
  if (element === undefined || "bytes" in element) return false;
  return element.number === wanted.number && exactly(element) === exactly(wanted);
}

/** An integer is equal to no real that it would be rounded to. */
function exactly({ number, integer }: Numeral): bigint | number {
  return integer ?? (Number.isInteger(number) ? BigInt(number) : number);
}

/** An element as something to compare with; nothing for null, arrays and objects. */
function elementWanted(scanner: JsonScanner): Wanted | undefined {
  switch (scanner.kind) {
    case JsonKind.string: {
      const bytes = encoder.encode(scanner.text(scanner.start, scanner.end, scanner.isEscaped));
      return { bytes, start: 0, end: bytes.length };
    }
    case JsonKind.integer: {
      const source = scanner.source();
      const number = Number(source);
      if (Math.abs(number) > 2 ** 64) return { number, integer: undefined };
      const integer = BigInt(source);
      return { number, integer: BigInt.asIntN(64, integer) === integer ? integer : undefined };
    }
    case JsonKind.real:
      return { number: Number(scanner.source()), integer: undefined };
    case JsonKind.true:
    case JsonKind.false:
      return {
        number: scanner.kind === JsonKind.true ? 1 : 0,
        integer: scanner.kind === JsonKind.true ? 1n : 0n,
      };
    default:
      return undefined;
  }
}

function isSame(
  memory: Uint8Array,
  start: number,
  end: number,
  other: Uint8Array,
  otherStart: number,
  otherEnd: number,
): boolean {
  if (end - start !== otherEnd - otherStart) return false;
  for (let i = start, j = otherStart; i < end; i++, j++) if (memory[i] !== other[j]) return false;
  return true;
}
