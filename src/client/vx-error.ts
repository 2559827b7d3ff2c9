/** Refusals of the index as errors: two have a class of their own, the base class stands for all others. Thrown by Client. */
import type { ShoalError } from "./shoal-error.ts";

export class VxError extends Error {
  override readonly name: string = "VxError";
  /** Such as `invalid_query`. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** Seconds after which another try makes sense (429, 503), where the server says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(refusal: ShoalError) {
    super(refusal.message, { cause: refusal });
    this.code = refusal.code;
    this.status = refusal.status;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

export class DimensionMismatchError extends VxError {
  override readonly name = "DimensionMismatchError";
}

export class InvalidIDError extends VxError {
  override readonly name = "InvalidIDError";
}

export function vxErrorFrom(refusal: ShoalError): VxError {
  if (refusal.code === "dimension_mismatch") return new DimensionMismatchError(refusal);
  return refusal.code === "invalid_id" ? new InvalidIDError(refusal) : new VxError(refusal);
}
