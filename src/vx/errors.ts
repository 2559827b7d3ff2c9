/**
 * The errors of the vector index. Thrown throughout vx; turned into HTTP answers by api. They are told apart by
 * `name` and `code`, which survive workers and HTTP where the class does not.
 */
export type VxErrorCode =
  | "dimension_mismatch"
  | "invalid_id"
  | "invalid_vector"
  | "invalid_request"
  | "capacity_exceeded"
  | "snapshot_corrupt";

export class VxError extends Error {
  override readonly name: string = "VxError";
  readonly code: VxErrorCode;

  constructor(code: VxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A vector whose length is not the index's dimension. */
export class DimensionMismatchError extends VxError {
  override readonly name = "DimensionMismatchError";

  constructor(expected: number, actual: number) {
    super("dimension_mismatch", `Vector dimension mismatch: expected ${expected}, got ${actual}`);
  }
}

/** An id that is no unsigned integer below 2^64. */
export class InvalidIDError extends VxError {
  override readonly name = "InvalidIDError";

  constructor(id: unknown) {
    super("invalid_id", `Invalid id: ${String(id)} (expected an unsigned integer)`);
  }
}
