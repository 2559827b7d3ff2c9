/**
 * Structured log lines on stderr. Made by main; calls pino. Names of files and peers are hostile text: JSON
 * escapes the control characters below 0x20, and what else a terminal would act on is escaped here.
 */
import { type Logger, pino } from "pino";
import type { Log } from "../sharing/ports.ts";

export type { Logger };

/** DEL and C1 controls, zero-width and bidirectional marks, line separators. */
const ACTED_ON = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function createLog(level: string, write: (line: string) => void = writeToStderr): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
  };
  return pino(options, { write: (line: string) => write(escapeActedOn(line)) });
}

/** The log as the ports know it. */
export function toLogPort(log: Logger, part: string): Log {
  return {
    debug: (message, details) => log.debug({ part, ...details }, message),
    info: (message, details) => log.info({ part, ...details }, message),
    warn: (message, details) => log.warn({ part, ...details }, message),
  };
}

/** Text that can be printed to a terminal: with every character escaped that it would act on. */
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
