/** Paths with names of others' making in them. Called by client, content and vx-client. */

/** A template of a path; what is put in stands there as one segment, whatever is in it. */
export function pathTo(parts: TemplateStringsArray, ...segments: string[]): string {
  return String.raw({ raw: parts }, ...segments.map(encodeURIComponent));
}
