/**
 * What a person is told where the system refuses a file that the node needs for itself: words for whoever asked, without
 * the path, which stands in the log. Called by transfer-states, meaning and api/errors for what nobody foresaw.
 */

const ADVICE: Readonly<Record<string, string>> = {
  EMFILE:
    "The node may open no more files. Raise its limit of open files (ulimit -n) and restart it, or try again later.",
  ENFILE: "The node's machine can open no more files. Close other programs there, or try again later.",
  EROFS: "The node's disk is read-only. Make it writable, then try again; its log has the path.",
  EACCES: "The node may not use a file that it needs. Give its user the rights; its log has the path.",
  EPERM: "The node may not use a file that it needs. Give its user the rights; its log has the path.",
  EIO: "The node's disk fails. Check it; the node's log has the path.",
};

/** How Node.js words what the file system says, also once a thread passed it on: `EROFS: read-only file system, open 'x'`. */
const OF_FILE = /^(E[A-Z]+): /;

/** LevelDB gives the system's own words alone: `IO error: /data/000003.log: Too many open files`. */
const OF_LEVEL = /^IO error: .*: ([^:]+)$/s;

const CODES: Readonly<Record<string, string>> = {
  "Too many open files": "EMFILE",
  "Too many open files in system": "ENFILE",
  "Read-only file system": "EROFS",
  "Permission denied": "EACCES",
  "Operation not permitted": "EPERM",
  "Input/output error": "EIO",
};

/** Undefined for an error that has, down to its first cause, nothing of the kind. */
export function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = OF_FILE.exec(error.message)?.[1] ?? CODES[OF_LEVEL.exec(error.message)?.[1] ?? ""] ?? "";
  return ADVICE[code] ?? systemFailure(error.cause);
}
