/**
 * The errors of the bridge, told apart by name, which crosses the port as data. Thrown by both ends; the service worker
 * and the page's fetch turn them into retries and 503.
 */
const NAMES = [
  /** The port, or whoever was behind it, is gone. */
  "closed",
  /** The other end is there but answers nothing: a frozen tab. */
  "silent",
  /** The other end speaks no version that this one does. */
  "version_mismatch",
  /** The other end broke the rules of the protocol. */
  "protocol_error",
  /** Too many requests are in flight. */
  "busy",
  /** The method, the URL or the headers of a request are longer than is carried. */
  "too_large",
  /** A body broke off, or a request failed where it was to be answered. */
  "failed",
  /** The tab asked does not lead. */
  "not_leading",
  /** The tab asked was to lead, and its node did not start. */
  "start_failed",
  /** No tab leads. */
  "no_leader",
] as const;

export type BridgeErrorName = (typeof NAMES)[number];

export class BridgeError extends Error {
  override readonly name: BridgeErrorName;

  constructor(name: BridgeErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

export function isBridgeError(error: unknown, ...names: BridgeErrorName[]): error is BridgeError {
  return error instanceof BridgeError && (names.length === 0 || names.includes(error.name));
}

/** An error as it came over the port. A name that this version does not know reads as `failed`. */
export function bridgeErrorFrom(name: string, message: string): BridgeError {
  return new BridgeError(NAMES.find((known) => known === name) ?? "failed", message);
}

/** Name and message of anything thrown, for the other end. */
export function errorAsData(error: unknown): { name: string; message: string } {
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: "Error", message: String(error) };
}
