/**
 * Log lines of the page's node, for its console. Made by main, start-node and what else has a part of its own. What
 * is only of use in debugging stays hidden there.
 */
import type { Log } from "../sharing/ports.ts";
import { MAX_LOGGED_CAUSES } from "./limits.ts";

export function openPageLog(part: string): Log {
  return {
    debug: (message, details) => console.debug(`[${part}] ${message}`, ...inWords(details)),
    info: (message, details) => console.info(`[${part}] ${message}`, ...inWords(details)),
    warn: (message, details) => console.warn(`[${part}] ${message}`, ...inWords(details)),
  };
}

/**
 * A console keeps the last thousand messages with all that they lead to, also while nobody looks: errors led to
 * connections that had long been closed, of which Chromium lets a page have 500.
 */
function inWords(details?: object): object[] {
  if (details === undefined) return [];
  return [Object.fromEntries(Object.entries(details).map(([name, value]) => [name, wordsOf(value)]))];
}

function wordsOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const words: string[] = [];
  const told: unknown[] = [value];
  for (const one of told) {
    if (words.length >= MAX_LOGGED_CAUSES) break;
    words.push(oneInWords(one));
    if (one instanceof AggregateError) told.push(...one.errors);
    if (one instanceof Error && one.cause !== undefined) told.push(one.cause);
  }
  return words.join("\ncaused by ");
}

function oneInWords(value: unknown): string {
  if (value instanceof Error) return value.stack ?? String(value);
  return value instanceof Event ? `event ${value.type}` : String(value);
}
