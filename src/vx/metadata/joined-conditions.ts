/**
 * `||` between two conditions, as other languages write OR. SQL joins texts by it: `a = 1 || b = 2` would find nothing, and
 * `(a = 1) || (b = 2)` whatever has both keys. Called by the compiler of filters.
 */
import { VxError } from "../errors.ts";
import type { Token } from "../sql/tokens.ts";

/** Without IS, which may ask what a comparison with joined texts came to. */
const comparing = new Set("= == != <> < > <= >= between glob in like".split(" "));

/** What a condition goes no further than; with `||` among it no token is looked at from many places. */
const bounding = new Set("and or case when then else end , ||".split(" "));

/** @throws VxError `invalid_query` */
export function refuseJoinedConditions(tokens: readonly Token[]): void {
  for (const [at, { source }] of tokens.entries()) {
    if (source === "||" && isCondition(tokens, at, -1) && isCondition(tokens, at, 1))
      throw new VxError("invalid_query", "|| joins two texts here: between conditions it is OR");
  }
}

/** Whether what stands before (`step` -1) or behind (1) compares, or does so in its own parentheses. */
function isCondition(tokens: readonly Token[], at: number, step: -1 | 1): boolean {
  const opening = step === 1 ? "open" : "close";
  let inside = at + step;
  while (tokens[inside]?.kind === opening) inside += step;
  return isComparing(tokens, at + step, step) || isComparing(tokens, inside, step);
}

/** Whether one comes to what compares, on the level of parentheses of `from`. */
function isComparing(tokens: readonly Token[], from: number, step: -1 | 1): boolean {
  const [opening, closing] = step === 1 ? ["open", "close"] : ["close", "open"];
  let depth = 0;
  for (let i = from; ; i += step) {
    const token = tokens[i];
    if (token === undefined) return false;
    const word = token.source.toLowerCase();
    if (token.kind === opening) depth += 1;
    else if (depth > 0) depth -= token.kind === closing ? 1 : 0;
    else if (token.kind === closing || bounding.has(word)) return false;
    else if (comparing.has(word)) return true;
  }
}
