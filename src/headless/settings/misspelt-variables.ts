/**
 * What is said of variables that are named almost as a setting's is: each counts for nothing. No fault, since others
 * set variables of this prefix, too (Kubernetes has `SHOAL_SERVICE_HOST` for a service named shoal). Called by the
 * commands that serve.
 */
import { closestMatch } from "leven";
import { variableName } from "./load-settings.ts";
import { SETTING_NAMES, SWITCHED_OFF } from "./settings.ts";

/** Those that are no setting's, but have a meaning. */
const OTHERS = ["SHOAL_CONFIG", "SHOAL_URL", "SHOAL_API_KEY"];

/** Letters that may be too many, too few or wrong. */
const MAX_WRONG_LETTERS = 2;

/** One sentence for each. */
export function misspeltVariables(environment: Record<string, string | undefined>): string[] {
  const known = [...SETTING_NAMES.map(variableName), ...OTHERS];
  return Object.keys(environment)
    .filter((name) => name.startsWith("SHOAL_") && !known.includes(name))
    .flatMap((name) => {
      const meant = meantBy(name, known);
      return meant === undefined ? [] : [`${name} is no setting: ${meant} is`];
    });
}

function meantBy(name: string, known: string[]): string | undefined {
  const switched = SWITCHED_OFF.find((setting) => name === variableName(`no-${setting}`));
  if (switched !== undefined) return `${variableName(switched)}=off`;
  return closestMatch(name, known, { maxDistance: MAX_WRONG_LETTERS });
}
