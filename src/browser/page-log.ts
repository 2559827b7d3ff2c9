/** Log lines of the page's node, for its console. Made by main and start-node. What is only of use in debugging stays hidden there. */
import type { Log } from "../sharing/ports.ts";

export function openPageLog(part: string): Log {
  return {
    debug: (message, details) => console.debug(`[${part}] ${message}`, details ?? ""),
    info: (message, details) => console.info(`[${part}] ${message}`, details ?? ""),
    warn: (message, details) => console.warn(`[${part}] ${message}`, details ?? ""),
  };
}
