/** Tables of benchmarks: printed, and kept in RESULTS.md under a heading of their own. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

const RESULTS = join(import.meta.dirname, "RESULTS.md");
const INTRO =
  "# Measured\n\nWritten by `npm run bench NAME`. Machines are noisy: compare within one run, not between runs.\n";

export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Where and when it was measured. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} x ${cpu?.model.trim()}, ${memory} GiB, Node.js ${process.version}`;
}

/** Prints the section and puts it in the place of an earlier one with the same heading. */
export async function writeSection(heading: string, body: string): Promise<void> {
  console.log(`\n## ${heading}\n\n${body}\n`);
  const old = await readFile(RESULTS, "utf8").catch(() => INTRO);
  const sections = old.split(/^## /m);
  const all = sections.slice(1);
  const place = all.findIndex((section) => section.startsWith(`${heading}\n`));
  all.splice(place === -1 ? all.length : place, 1, `${heading}\n\n${body.trim()}\n`);
  const written = all.map((section) => `## ${section.trimEnd()}\n`);
  await writeFile(RESULTS, [sections[0]?.trimEnd() ?? INTRO, "", ...written].join("\n"));
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((lower ?? Number.NaN) + (upper ?? Number.NaN)) / 2;
}
