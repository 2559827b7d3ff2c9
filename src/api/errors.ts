/**
 * Errors as HTTP answers: what the API refuses by itself, and the tables from the names of SharingError and the codes
 * of VxError to status codes. Called by app; the two body shapes are the contract's (node under /api/v1, vx elsewhere).
 */
import type { SharingErrorName } from "../sharing/errors.ts";
import type { Log } from "../sharing/ports.ts";
import { systemFailure } from "../sharing/system-failure.ts";
import { VxError, type VxErrorCode } from "../vx/errors.ts";
import { MAX_MESSAGE_CHARS, MESSAGE_END_CHARS } from "./limits.ts";

export type RefusalStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 406
  | 409
  | 412
  | 413
  | 415
  | 416
  | 422
  | 429
  | 500
  | 502
  | 503
  | 507;

/** A request that the API refuses; the message is shown to the client. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: RefusalStatus;
  readonly headers: Record<string, string>;

  constructor(status: RefusalStatus, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Names that say what the client did or what is missing; their messages are made to be read. */
const SHARING_STATUS: Record<SharingErrorName, RefusalStatus> = {
  bad_request: 400,
  path_forbidden: 403,
  file_missing: 404,
  file_not_found: 404,
  transfer_not_found: 404,
  invitation_not_found: 404,
  wrong_state: 409,
  output_exists: 409,
  storage_full: 507,
  hash_mismatch: 500,
  bad_manifest: 502,
  block_not_found: 404,
  peer_lost: 502,
  peer_unreachable: 502,
  protocol_error: 502,
  no_provider: 404,
  stopped: 503,
};

/** The index's own codes (contract, "vx API"). */
export const VX_STATUS: Record<VxErrorCode, RefusalStatus> = {
  dimension_mismatch: 400,
  invalid_id: 400,
  invalid_vector: 400,
  invalid_query: 400,
  invalid_request: 400,
  encryption_key_invalid: 400,
  not_found: 404,
  backup_not_found: 404,
  capacity_exceeded: 409,
  reduction_disabled: 409,
  conflict: 409,
  backup_corrupt: 422,
  internal: 500,
  unavailable: 503,
  storage_full: 507,
};

/** Codes of the vx shape by status, of what is refused before the index is asked (contract, "vx API"). */
const VX_CODE: Record<RefusalStatus, string> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  409: "conflict",
  412: "precondition_failed",
  413: "payload_too_large",
  415: "unsupported_media_type",
  416: "range_not_satisfiable",
  422: "backup_corrupt",
  429: "rate_limited",
  500: "internal",
  502: "unavailable",
  503: "unavailable",
  507: "storage_full",
};

/** Every code of the vx shape. */
export const VX_CODES = [...new Set([...Object.keys(VX_STATUS), ...Object.values(VX_CODE)])].sort();

/** Body of a refusal under /api/v1. */
export function nodeErrorBody(status: RefusalStatus, message: string) {
  return { error: true as const, code: status, message };
}

/** Body of a refusal elsewhere, with the code of its status unless the index gave one of its own. */
export function vxErrorBody(status: RefusalStatus, message: string, code: string = VX_CODE[status]) {
  return { error: { code, message } };
}

/** Whether a path belongs to the node surface, whose errors have the node shape. */
export function isNodePath(path: string): boolean {
  return path === "/api/v1" || path.startsWith("/api/v1/");
}

/**
 * The answer for anything thrown while a request was handled. What nobody foresaw is logged, not shown, but for what the
 * system refuses, in words of ours; a client that left in the middle is no failure.
 */
export function errorResponse(error: unknown, { url, signal }: Request, log: Log): Response {
  const path = new URL(url).pathname;
  const refusal = asRefusal(error);
  if (signal.aborted) log.debug("a client left", { path, error });
  else if (refusal.status === 500 || isOfMachine(error)) log.warn("a request failed", { path, error });
  const { status, headers } = refusal;
  const message = bounded(refusal.message);
  const vxCode = error instanceof VxError ? error.code : undefined;
  const body = isNodePath(path) ? nodeErrorBody(status, message) : vxErrorBody(status, message, vxCode);
  return Response.json(body, { status, headers });
}

/** Whether a refusal has a reason that is not for clients. */
function isOfMachine(error: unknown): boolean {
  return error instanceof VxError && error.code === "unavailable" && error.cause !== undefined;
}

function asRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof VxError && VX_STATUS[error.code] !== 500) {
    return new ApiError(VX_STATUS[error.code], error.message);
  }
  if (error instanceof Error && Object.hasOwn(SHARING_STATUS, error.name)) {
    const status = SHARING_STATUS[error.name as SharingErrorName];
    if (status !== 500) return new ApiError(status, error.message);
  }
  return new ApiError(500, systemFailure(error) ?? "Internal server error");
}

/** Without its middle where it is too long, for that is a name, a value or a statement of the client's. */
function bounded(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARS) return message;
  // Neither end may be half of a surrogate pair.
  const start = message.slice(0, MAX_MESSAGE_CHARS - MESSAGE_END_CHARS - 1).replace(/\p{Surrogate}$/u, "");
  const end = message.slice(-MESSAGE_END_CHARS).replace(/^\p{Surrogate}/u, "");
  return `${start}…${end}`;
}
