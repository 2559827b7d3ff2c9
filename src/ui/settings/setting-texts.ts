/** Settings as people type them: lists by line, speeds in MB/s, sizes in GB. Called by the parts of the settings. */

type Read<T> = { value: T } | { error: string };

/** One entry a line; empty lines are none. */
export function readLines(text: string): Read<string[]> {
  return {
    value: text
      .split(/[\n,]+/)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  };
}

export function linesText(lines: readonly string[]): string {
  return lines.join("\n");
}

/** Megabytes a second as bytes a second; nothing typed is no limit. */
export function readRate(text: string): Read<number | null> {
  if (text.trim() === "") return { value: null };
  const rate = readNumber(text);
  if (rate === undefined || rate <= 0)
    return { error: "A number of MB/s above 0, such as 2.5; nothing for no limit." };
  return { value: Math.max(1, Math.round(rate * 1e6)) };
}

export function rateText(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? "" : String(bytesPerSecond / 1e6);
}

/** Gigabytes as bytes. */
export function readSize(text: string): Read<number> {
  const size = readNumber(text);
  if (size === undefined || size <= 0) return { error: "A number of GB above 0, such as 10." };
  return { value: Math.max(1, Math.round(size * 1e9)) };
}

export function sizeText(bytes: number): string {
  return String(Number((bytes / 1e9).toFixed(2)));
}

/** A comma is as good as a point. */
function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(",", ".");
  return /^\d*\.?\d+$|^\d+\.$/.test(trimmed) ? Number(trimmed) : undefined;
}
