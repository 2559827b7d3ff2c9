/** Settings as people type them: lists by line, speeds in MB/s, sizes in GB. Called by the parts of the settings. */
import { sentence } from "../state/sentence.ts";

/** What was typed, as a value, or why it is none. */
export type Read<T> = { value: T } | { error: string };

/** Nothing typed is null. */
export function readOptional(text: string): Read<string | null> {
  return { value: text.trim() || null };
}

export function optionalText(value: string | null): string {
  return value ?? "";
}

/** One entry a line, or commas between; empty lines are none. */
export function readLines(text: string): Read<string[]> {
  return { value: entriesIn(text, /[\n,]/) };
}

/** The same of STUN and TURN servers, whose passwords may have a comma. */
export function readServers(text: string): Read<string[]> {
  return { value: entriesIn(text, /\n|,(?=\s*(?:stun|turn)s?:)/) };
}

function entriesIn(text: string, border: RegExp): string[] {
  return text
    .split(border)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

export function linesText(lines: readonly string[]): string {
  return lines.join("\n");
}

/** Megabytes a second as bytes a second; nothing typed is no limit. */
export function readRate(text: string): Read<number | null> {
  if (text.trim() === "") return { value: null };
  const rate = readNumber(text);
  if (rate === undefined || !isCountable(rate * 1e6))
    return { error: "A number of MB/s above 0, such as 2.5; nothing for no limit." };
  return { value: Math.max(1, Math.round(rate * 1e6)) };
}

export function rateText(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? "" : String(bytesPerSecond / 1e6);
}

/** Gigabytes as bytes. */
export function readSize(text: string): Read<number> {
  const size = readNumber(text);
  if (size === undefined || !isCountable(size * 1e9)) return { error: "A number of GB above 0, such as 10." };
  return { value: Math.max(1, Math.round(size * 1e9)) };
}

/** A small size to the byte, a round one as it was typed. */
export function sizeText(bytes: number): string {
  const isRound = bytes % 1e6 === 0;
  const digits = bytes < 1e8 ? 9 : isRound ? 3 : 2;
  return (bytes / 1e9).toFixed(digits).replace(/\.?0+$/, "");
}

/**
 * The node's refusal at the field that it is about: without the setting's name in the API, and counting the entries of a list
 * from 1.
 */
export function refusalText(message: string, name: string): string {
  const [, index, what] = new RegExp(`^${name}(?:\\[(\\d+)\\])?: (.*)$`, "is").exec(message) ?? [];
  if (what === undefined) return message;
  return index === undefined ? sentence(what) : `Entry ${Number(index) + 1}: ${what}`;
}

/** Bytes that there can be. */
function isCountable(bytes: number): boolean {
  return bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER;
}

/** A comma is as good as a point. */
function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(",", ".");
  return /^\d*\.?\d+$|^\d+\.$/.test(trimmed) ? Number(trimmed) : undefined;
}
