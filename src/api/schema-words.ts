/**
 * What a schema says of input that it refuses, where it has no words of its own: "must be a whole number" in place of the
 * library's "Invalid input: expected int, received string". Given to the library by hono-app, for all schemas.
 */
import type { z } from "@hono/zod-openapi";

type Issue = Parameters<NonNullable<NonNullable<Parameters<typeof z.config>[0]>["customError"]>>[0];

const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a text",
};

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "entries" };

/** Undefined where the library's own words will do. */
export function schemaWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const kind = KINDS[issue.expected];
      if (issue.input === undefined) return "is missing";
      return kind && `must be ${kind}`;
    }
    case "too_small":
      return bound(issue.origin, "at least", issue.minimum, issue.inclusive ?? true);
    case "too_big":
      return bound(issue.origin, "at most", issue.maximum, issue.inclusive ?? true);
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `there is no field ${issue.keys.join(", ")}`;
    default:
      return undefined;
  }
}

function bound(
  origin: string,
  side: "at least" | "at most",
  value: number | bigint,
  isInclusive: boolean,
): string {
  const unit = UNITS[origin];
  if (unit !== undefined && side === "at least" && value === 1) return "must not be empty";
  if (unit !== undefined) return `must have ${side} ${value} ${unit}`;
  if (isInclusive) return `must be ${side} ${value}`;
  return `must be ${side === "at least" ? "more" : "less"} than ${value}`;
}
