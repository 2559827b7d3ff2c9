/** The argument of an option that counts something. Called by download and search. */
import { InvalidArgumentError } from "commander";

/** How much is too much the node says. @throws InvalidArgumentError */
export function positiveCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("It is no whole number above 0.");
}
