/**
 * A vector as a person types or pastes it: a JSON array, or numbers with spaces, commas or lines between. Called by the
 * forms.
 */

export type ReadVector = { vector: number[] } | { error: string };

/** `dimension`: what the index wants; undefined where it holds nothing yet that would tell. */
export function readVector(text: string, dimension: number | undefined): ReadVector {
  const words = text
    .trim()
    .replace(/^\[|\]$/g, "")
    .split(/[\s,;]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return { error: "Paste the vector: numbers, such as [0.12, -0.5, 0.33]." };
  const vector = words.map(Number);
  const wrong = vector.findIndex((value) => !Number.isFinite(value));
  if (wrong !== -1) return { error: `“${words[wrong]?.slice(0, 40)}” is no number (place ${wrong + 1}).` };
  if (dimension !== undefined && vector.length !== dimension) {
    return { error: `This index takes vectors of ${dimension} numbers; here are ${vector.length}.` };
  }
  return { vector };
}

export type ReadMetadata = { metadata: Record<string, unknown> } | { error: string };

/** Nothing typed is no metadata. */
export function readMetadata(text: string): ReadMetadata {
  if (text.trim() === "") return { metadata: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `This is no JSON: ${(error as SyntaxError).message}.` };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject
    ? { metadata: value as Record<string, unknown> }
    : { error: 'Metadata is one JSON object, such as {"title": "A"}.' };
}

/** A line about a record: its most telling values. */
export function metadataLine(metadata: Record<string, unknown>): string {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return "no metadata";
  return entries
    .slice(0, 4)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}
