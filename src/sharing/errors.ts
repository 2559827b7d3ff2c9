/**
 * The errors of the sharing domain. Thrown by sharing, exchange, network and the ports' implementations;
 * turned into HTTP answers by api/errors, whose table must name every one of them.
 */
export type SharingErrorName =
  | "bad_request"
  | "path_forbidden"
  | "file_missing"
  | "file_not_found"
  | "transfer_not_found"
  | "invitation_not_found"
  | "wrong_state"
  | "output_exists"
  | "storage_full"
  | "hash_mismatch"
  | "bad_manifest"
  | "block_not_found"
  | "peer_lost"
  | "peer_unreachable"
  | "protocol_error"
  | "no_provider"
  | "stopped";

export class SharingError extends Error {
  override readonly name: SharingErrorName;

  constructor(name: SharingErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

/** For blocks beyond what the node may hold. `limit`: where a person of this host raises that. */
export function quotaSpent(limit: string): SharingError {
  return new SharingError(
    "storage_full",
    `This node holds as much as it may. Delete files, or raise ${limit}.`,
  );
}

/** For a file that is to go where so many bytes are free. */
export function noRoom(neededBytes: number, freeBytes: number): SharingError {
  const message = `The file needs ${sizeText(neededBytes)}, and ${sizeText(freeBytes)} are free where it is to go. Make room, then resume.`;
  return new SharingError("storage_full", message);
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

/** `9 MB`, in the words of messages. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const format = { style: "unit", unit: UNITS[power], maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat("en", format).format(bytes / 1000 ** power);
}

/** True for a SharingError of one of the names given, also one that crossed a thread as data. */
export function isSharingError(
  error: unknown,
  ...names: [SharingErrorName, ...SharingErrorName[]]
): error is SharingError {
  return error instanceof Error && (names as string[]).includes(error.name);
}

/** True where a block store has not the block: by the convention of interface-store, no SharingError. */
export function isMissingBlock(error: unknown): boolean {
  return error instanceof Error && error.name === "NotFoundError";
}
