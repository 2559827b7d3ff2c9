/**
 * The Range header: which bytes of a file a reader asks for. Called by content.
 * Source: RFC 9110, section 14. Several ranges in one header are answered with the whole, as it allows.
 */
export interface ByteRange {
  start: number;
  /** The first byte after the range. */
  end: number;
}

/** The range asked for, `whole` where the header is absent, malformed or multiple, `outside` for a 416. */
export function parseByteRange(header: string | null, sizeBytes: number): ByteRange | "whole" | "outside" {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "");
  if (match === null) return "whole";
  const [, first = "", last = ""] = match;
  if (first === "") return last === "" ? "whole" : suffixRange(Number(last), sizeBytes);
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= sizeBytes) return "outside";
  return { start, end: last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}

function suffixRange(length: number, sizeBytes: number): ByteRange | "outside" {
  if (length === 0 || sizeBytes === 0) return "outside";
  return { start: Math.max(0, sizeBytes - length), end: sizeBytes };
}
