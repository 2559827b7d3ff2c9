/** What keeps a start from succeeding, as its user reads it. Called by the mains, and for what fails after them by service. */
import { isSharingError } from "../sharing/errors.ts";
import { VxError, type VxErrorCode } from "../vx/errors.ts";
import { CommandError } from "./command-error.ts";
import { hasCode } from "./files/disk-errors.ts";

/** Of the index: what a setting is to blame for. */
const SETTING_CODES: readonly VxErrorCode[] = [
  "dimension_mismatch",
  "encryption_key_invalid",
  "invalid_request",
];

/** What else a start may be given, by what keeps it from succeeding. */
const REMEDIES: Partial<Record<string, string>> = {
  conflict: "stop that, or give this one its own with --vx-storage-path",
  encryption_key_invalid: "see --vx-encryption-key",
  LEVEL_CORRUPTION: "put it back from a backup",
  EADDRINUSE: "stop what has it, or take another port with --api-port or --web-port",
};

/** How Node.js words what the file system says: `EACCES: permission denied, mkdir '/x'`. */
const FILE_SYSTEM_ERROR = /^E[A-Z0-9]+: /;

export function startFailure(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  if (isSharingError(error, "bad_request")) return new CommandError("usage", error.message, { cause: error });
  const isOfDisk = error instanceof Error && FILE_SYSTEM_ERROR.test(error.message);
  if (error instanceof VxError && (isOfDisk || error.code !== "internal")) {
    const name = SETTING_CODES.includes(error.code) ? "usage" : "start_failed";
    return new CommandError(name, `the index: ${withRemedy(error)}`, { cause: error });
  }
  if (isOfDisk) return new CommandError("start_failed", error.message, { cause: error });
  // LevelDB opens files that are damaged, and finds that out as it reads on.
  if (hasCode(error, "LEVEL_CORRUPTION", "LEVEL_IO_ERROR")) {
    const reason = withRemedy(error as NodeJS.ErrnoException);
    return new CommandError("start_failed", `cannot read the data folder: ${reason}`, { cause: error });
  }
  if (hasCode(error, "EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND")) {
    return new CommandError("start_failed", `cannot listen: ${withRemedy(error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
  if (error instanceof Error && error.name === "UnsupportedListenAddressesError") {
    const reasons = error.message.split("\n").filter((line) => /^ +\/.*: \w*Error: /.test(line));
    return new CommandError("start_failed", `cannot listen:\n${reasons.join("\n")}`, { cause: error });
  }
  return error;
}

function withRemedy({ message, code = "" }: Error & { code?: string | undefined }): string {
  const remedy = REMEDIES[code];
  return remedy === undefined ? message : `${message} (${remedy})`;
}
