/**
 * Names that a route does not take, but whose sender means one that it takes: passed over in silence, `unlistd` would have a
 * file told to all peers. All others are passed over. Called by hono-app, uploads and vx/meant-fields.
 */
import { closestMatch } from "leven";
import { ApiError } from "./errors.ts";

/** Of shorter names others are near by chance. */
const LEAST_LETTERS = 5;

/** Letters that may be too many, too few or wrong. */
const MAX_WRONG_LETTERS = 2;

/** Which of the names that one is, with other separators or mistyped; undefined where none is near. */
export function meantName(name: string, names: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  const spelt = names.find((other) => lettersOf(other) === letters);
  if (spelt !== undefined || letters.length < LEAST_LETTERS) return spelt;
  const long = names.filter((other) => other.length >= LEAST_LETTERS);
  return closestMatch(name, long, { maxDistance: MAX_WRONG_LETTERS });
}

/** A name without case and separators. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** `own`: what the route takes. @throws ApiError 400 for the first name that is a mistyped one of these, and not beside it */
export function refuseMistyped(given: readonly string[], own: readonly string[]): void {
  for (const name of given) {
    if (own.includes(name)) continue;
    const meant = meantName(name, own);
    if (meant === undefined || given.includes(meant)) continue;
    throw new ApiError(400, `${name}: is not taken here, but ${meant} is`);
  }
}
