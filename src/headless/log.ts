/**
 * Structured log lines on stderr. Made by service once it runs something, so that other commands load no pino. Names of files and
 * peers are hostile text: JSON escapes the control characters below 0x20, and what else a terminal would act on is escaped by printable.
 */
import { type Logger, pino } from "pino";
import type { Log } from "../sharing/ports.ts";
import { escapeActedOn } from "./printable.ts";

export type { Logger };

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

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
