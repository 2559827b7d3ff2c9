/**
 * `||` between two conditions, as other languages write OR. SQL joins texts by it: `a = 1 || b = 2` would find nothing, and
 * `(a = 1) || (b = 2)` nothing that lacks one of the keys. Called by the compilers of filters and queries.
 */
import { VxError } from "../errors.ts";
import type { Token } from "../sql/tokens.ts";
import { queryFunctions } from "../sql/words.ts";

/** Without IS, which may ask what a comparison with joined texts came to. */
const comparing = new Set(
  `= == != <> < > <= >= between glob in like
  json_array_contains json_array_contains_any json_array_contains_all`.split(/\s+/),
);

const bounding = new Set("and or when then else ,".split(" "));

/** Words of a query, and whether conditions follow; what SELECT lists may well be a text of two. */
const clauses = new Map([
  ["select", false],
  ["on", true],
  ["where", true],
  ["group", false],
  ["having", true],
  ["window", false],
  ["order", false],
  ["limit", false],
  ["except", false],
  ["intersect", false],
  ["union", false],
  ["values", false],
]);

/** What stands within parentheses, or a CASE up to its END. */
interface Part {
  /** Whether a condition is to stand there. */
  isWanted: boolean;
  /** Whether it comes to what it holds, which neither a function, a CASE nor a SELECT does. */
  isGroup: boolean;
  /** Whether it compares on its own level, or joins conditions. */
  isComparing: boolean;
  /** BETWEENs whose AND is to come. */
  betweens: number;
  /** Whether a condition stands before the last `||`, and whether one stands behind it. */
  wasCondition: boolean;
  isCondition: boolean;
  isJoined: boolean;
}

/** `names`: where in the tokens keys stand. `isWanted`: all is a condition. @throws VxError `invalid_query` */
export function refuseJoinedConditions(
  tokens: readonly Token[],
  names: readonly number[],
  isWanted: boolean,
): void {
  const keys = new Set(names);
  const parts = [newPart(true, isWanted)];
  for (const [at, { kind, source }] of tokens.entries()) {
    if (keys.has(at)) continue;
    const word = source.toLowerCase();
    if (kind === "open" || word === "case")
      parts.push(newPart(kind === "open" && !isCall(tokens[at - 1]), parts.at(-1)?.isWanted === true));
    const ended = kind === "close" || word === "end" ? parts.pop() : undefined;
    const part = parts.at(-1);
    // An END without a CASE, of which SQLite tells.
    if (part === undefined) return;
    const isCondition = clauses.get(word);
    if (isCondition !== undefined) {
      Object.assign(part, newPart(false, isCondition));
    } else if (word === "||") {
      part.wasCondition = part.isCondition;
      part.isCondition = false;
      part.isJoined = true;
    } else if (word === "and" && part.betweens > 0) {
      part.betweens -= 1;
    } else if (bounding.has(word)) {
      part.isComparing ||= word === "and" || word === "or";
      part.isCondition = false;
      part.wasCondition = false;
    } else if (comparing.has(word)) {
      if (word === "between") part.betweens += 1;
      part.isComparing = true;
      part.isCondition = true;
    } else if (ended?.isGroup && (ended.isComparing || (ended.isCondition && !ended.isJoined))) {
      part.isCondition = true;
    }
    if (part.isWanted && part.wasCondition && part.isCondition)
      throw new VxError("invalid_query", "|| joins two texts here: between conditions it is OR");
  }
}

function newPart(isGroup: boolean, isWanted: boolean): Part {
  return {
    isWanted,
    isGroup,
    isComparing: false,
    betweens: 0,
    wasCondition: false,
    isCondition: false,
    isJoined: false,
  };
}

function isCall(before: Token | undefined): boolean {
  const word = before?.source.toLowerCase() ?? "";
  return word === "cast" || queryFunctions.has(word);
}
