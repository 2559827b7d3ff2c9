/**
 * What an answer must hold for its reader to go on: checked by send and events, named by client and vx-client for each
 * route. Something else may answer at a node's address, or between, and its JSON would reach the caller as undefined.
 */
export type Check = (value: unknown) => boolean;

/** Of members that the answer has; the others are the node's to keep. */
export type Members<T> = { [Name in keyof T]?: Check };

export const isText: Check = (value) => typeof value === "string";
export const isNumber: Check = (value) => typeof value === "number";
export const isSwitch: Check = (value) => typeof value === "boolean";
export const isList: Check = Array.isArray;
export const isDone: Check = (value) => value === true;

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

/** Nothing beyond `members` is looked at. */
export function holds<T extends object>(members: Members<T>): Check {
  const checks = Object.entries<Check | undefined>(members);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const held = value as Record<string, unknown>;
    return checks.every(([name, check]) => check === undefined || check(held[name]));
  };
}
