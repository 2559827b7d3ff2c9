/**
 * What the client commands print: JSON for programs, aligned columns for people. Called by the commands. Names
 * come from strangers, so what people see is escaped.
 */
import { type Options, SingleBar } from "cli-progress";
import { printable } from "../printable.ts";

const BAR_OPTIONS: Options = {
  hideCursor: true,
  clearOnComplete: true,
  gracefulExit: false,
  stream: process.stderr,
};

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function printLine(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** Settles when all that was printed is out. @throws where some of it is lost */
export function printed(): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write("", (error) => (error ? reject(error) : resolve()));
  });
}

/** Rows under a heading, in columns as wide as their widest cell. */
export function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [heading, ...rows].map((row) => row.map(printable));
  const widths = heading.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  for (const row of cells) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}

/** A bar on a terminal: on the standard error, since the standard output is the answer's. */
export function progressBar(format: string): SingleBar {
  return new SingleBar({ ...BAR_OPTIONS, format });
}

/** For whoever sees no bar, as in the log of a script. */
export function printUnlessBar(line: string): void {
  if (!process.stderr.isTTY) process.stderr.write(`shoal: ${printable(line)}\n`);
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  // What would be rounded to 1024.0 of a unit is 1.0 of the next.
  const fits = UNITS.findIndex((_, unit) => bytes / 1024 ** unit < (unit === 0 ? 1024 : 1023.95));
  const power = fits === -1 ? UNITS.length - 1 : fits;
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}

export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** `1h 2m`, `3m 4s`, `5s`. */
export function formatDuration(seconds: number): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  if (h > 0) return `${h}h ${m}m`;
  return m > 0 ? `${m}m ${s}s` : `${s}s`;
}

/** `1 peer`, `2 peers`. */
export function formatPeers(count: number): string {
  return count === 1 ? "1 peer" : `${count} peers`;
}

export function formatPercent(fraction: number): string {
  return `${(Math.floor(fraction * 1000) / 10).toFixed(1)}%`;
}
