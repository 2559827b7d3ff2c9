/** What keeps a start from succeeding, as its user reads it. Called by the mains, and for what fails after them by service. */
import { isSharingError } from "../sharing/errors.ts";
import { VxError, type VxErrorCode } from "../vx/errors.ts";
import { CommandError } from "./command-error.ts";
import { hasCode } from "./disk-errors.ts";

/** Of the index: what a setting is to blame for. */
const SETTING_CODES: readonly VxErrorCode[] = [
  "dimension_mismatch",
  "encryption_key_invalid",
  "invalid_request",
];

/** How Node.js words what the file system says: `EACCES: permission denied, mkdir '/x'`. */
const FILE_SYSTEM_ERROR = /^E[A-Z0-9]+: /;

export function startFailure(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  if (isSharingError(error, "bad_request")) return new CommandError("usage", error.message, { cause: error });
  const isOfDisk = error instanceof Error && FILE_SYSTEM_ERROR.test(error.message);
  if (error instanceof VxError && (isOfDisk || error.code !== "internal")) {
    const name = SETTING_CODES.includes(error.code) ? "usage" : "start_failed";
    return new CommandError(name, `the index: ${error.message}`, { cause: error });
  }
  if (isOfDisk) return new CommandError("start_failed", error.message, { cause: error });
  if (hasCode(error, "EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND")) {
    return new CommandError("start_failed", `cannot listen: ${(error as Error).message}`, { cause: error });
  }
  if (error instanceof Error && error.name === "UnsupportedListenAddressesError") {
    const reasons = error.message.split("\n").filter((line) => /^ +\/.*: \w*Error: /.test(line));
    return new CommandError("start_failed", `cannot listen:\n${reasons.join("\n")}`, { cause: error });
  }
  return error;
}
