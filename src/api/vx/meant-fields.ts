/**
 * Fields that a route does not take, but whose sender means one that it or another route takes: passed over in silence,
 * `top_k` would bring as many results as there are by default, `filter` what it is to keep out, and `meta` would be
 * lost. All others are passed over. Called by json-route and for each record of a batch.
 */
import { VxError } from "../../vx/errors.ts";
import { lettersOf, meantName } from "../meant-names.ts";

/** What fields are called by other products, without case and separators. */
const OTHER_NAMES: Record<string, string> = {
  topk: "k",
  limit: "k",
  size: "k",
  nresults: "k",
  offset: "page",
  perpage: "page_size",
  where: "filter",
  filters: "filter",
  negatives: "negative_vectors",
  meta: "metadata",
  payload: "metadata",
};

/**
 * `own`: the route's fields; `elsewhere`: paths of the routes of others; `place` stands before the field in the
 * message. What is null is as if it were left out. @throws VxError `invalid_request`
 */
export function refuseMistaken(
  value: unknown,
  own: readonly string[],
  elsewhere: Record<string, string> = {},
  place = "",
): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const given = Object.keys(value).filter((field) => (value as Record<string, unknown>)[field] != null);
  const others = Object.keys(elsewhere);
  for (const field of given) {
    if (own.includes(field)) continue;
    const isOther = others.includes(field);
    if (isOther) throw refusal(`${field}: is not of this route, but of POST ${elsewhere[field]}`);
    const meant = meantBy(field, [...own, ...others]);
    if (meant === undefined || given.includes(meant)) continue;
    const route = own.includes(meant) ? "" : ` by POST ${elsewhere[meant]}`;
    throw refusal(`${place}${field}: is not taken here, but ${meant}${route} is`);
  }
}

function meantBy(field: string, fields: string[]): string | undefined {
  const letters = lettersOf(field);
  const other = Object.hasOwn(OTHER_NAMES, letters) ? OTHER_NAMES[letters] : undefined;
  if (other !== undefined && fields.includes(other)) return other;
  return meantName(field, fields);
}

function refusal(message: string): VxError {
  return new VxError("invalid_request", message);
}
