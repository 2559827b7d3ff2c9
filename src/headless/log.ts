/**
 * Structured log lines on stderr. Made by main; calls pino. Names of files and peers are hostile text: JSON
 * escapes the control characters below 0x20, and what else a terminal would act on is escaped here.
 */
import { type Logger, pino } from "pino";

export type { Logger };

/** DEL and C1 controls, zero-width and bidirectional marks, line separators. */
const ACTED_ON = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function createLog(level: string, write: (line: string) => void = writeToStderr): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write: (line: string) => write(escapeActedOn(line)),
    },
  );
}

/** Text that is printed to a terminal as it is: with every control character escaped. */
export function printable(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  return escapeActedOn(value.replace(/[\0-\x1f]/g, escapeCharacter));
}

function escapeActedOn(line: string): string {
  return line.replace(ACTED_ON, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
