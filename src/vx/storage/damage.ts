/** The errors that stored bytes lead to. Thrown all over this folder. */
import { VxError } from "../errors.ts";

class DamagedError extends VxError {
  /** What is damaged, and how. */
  readonly finding: string;

  constructor(finding: string) {
    super("internal", `The stored index is damaged: ${finding}`);
    this.finding = finding;
  }
}

class TooNewError extends VxError {
  /** What is newer. */
  readonly finding: string;

  constructor(place: string, version: number, known: number) {
    const finding = `format version ${version}`;
    super("invalid_request", `${place} has ${finding}; this program reads up to ${known}. Use a newer one.`);
    this.finding = finding;
  }
}

/** Stored bytes that are not what was written. `place` names the file, and where it can the byte. */
export function damaged(place: string, what: string): VxError {
  return new DamagedError(`${place}: ${what}`);
}

/** Bytes of a later version of a format than this program knows. */
export function tooNew(place: string, version: number, known: number): VxError {
  return new TooNewError(place, version, known);
}

/** That an archive is of a later version, where asBackupErrors told of it. */
export function tooNewIn(error: unknown): TooNewError | undefined {
  const cause = error instanceof VxError ? error.cause : undefined;
  return cause instanceof TooNewError ? cause : undefined;
}

export function wrongKey(what: string): VxError {
  return new VxError("encryption_key_invalid", what);
}

/**
 * Runs what reads an archive; damage found in it means that the archive is damaged, and not the index that is in use. A
 * medium that can't be read says nothing of the archive.
 */
export async function asBackupErrors<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof VxError && !["internal", "invalid_request"].includes(error.code)) throw error;
    if (isOfMedium(error)) throw error;
    const reason = error instanceof DamagedError ? error.finding.replace(`${name}: `, "") : messageOf(error);
    throw new VxError("backup_corrupt", `The backup ${name} cannot be used: ${reason}`, { cause: error });
  }
}

/** Whether an error is the medium's, of Node.js or a browser, and says nothing of what stands there. */
export function isOfMedium(error: unknown): error is Error & { code?: unknown } {
  return error instanceof Error && ("syscall" in error || error instanceof DOMException);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
