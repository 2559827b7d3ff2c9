/**
 * What a refusal says of the first thing that a schema found wrong: where, as the sender wrote it, and what. Called by
 * hono-app and vx/json-route; the words for what is wrong are schema-words' or the schema's own.
 */
import { MAX_QUOTED_CHARS } from "./limits.ts";

interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

/** `whole`: what the schema is of, which is named where no part of it is wrong alone. */
export function issueText([issue]: readonly Issue[], whole: string): string {
  const { path, message } = issue ?? { path: [], message: "is malformed" };
  return `${path.length === 0 ? whole : placeText(path)}: ${message}`;
}

/** Such as `vectors[1].metadata`, or `facets["a b"]` for a key that would not stand behind a dot. */
function placeText(path: readonly PropertyKey[]): string {
  return path.map((key, index) => (index === 0 && typeof key === "string" ? key : step(key))).join("");
}

function step(key: PropertyKey): string {
  if (typeof key === "number") return `[${key}]`;
  const name = String(key).slice(0, MAX_QUOTED_CHARS);
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
