/**
 * The errors of the index. A code says what went wrong wherever the error is seen: in the library, across a worker
 * and over HTTP, where api/vx turns it into a status.
 */
export type VxErrorCode =
  | "dimension_mismatch"
  | "invalid_id"
  | "invalid_vector"
  | "invalid_query"
  | "invalid_request"
  | "not_found"
  | "capacity_exceeded"
  | "reduction_disabled"
  | "conflict"
  | "unavailable"
  | "encryption_key_invalid"
  | "backup_not_found"
  | "backup_corrupt"
  | "storage_full"
  | "internal";

export class VxError extends Error {
  override readonly name: string = "VxError";
  readonly code: VxErrorCode;

  constructor(code: VxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export class DimensionMismatchError extends VxError {
  override readonly name = "DimensionMismatchError";

  constructor(expected: number, got: number) {
    super("dimension_mismatch", `Vector dimension mismatch: expected ${expected}, got ${got}`);
  }
}

export class InvalidIDError extends VxError {
  override readonly name = "InvalidIDError";

  constructor(message: string) {
    super("invalid_id", message);
  }
}

export function reductionDisabled(): VxError {
  return new VxError("reduction_disabled", "The index does not reduce vectors");
}

/** What is wrong with the Config that an index was to be made or opened with. */
export function wrongConfig(what: string): VxError {
  return new VxError("invalid_request", `Config: ${what}`);
}

/** No more vectors are taken than the Config says. */
export function indexFull(maxElements: number): VxError {
  return new VxError(
    "capacity_exceeded",
    `The index takes ${maxElements} vectors at most, and there would be more`,
  );
}

/**
 * The refusal of one of the records of a batch tells which one: by its place, and behind the words of a mismatch, which
 * programs know, by its id, too.
 */
export function ofRecord(at: number, id: bigint, refusal: unknown): unknown {
  if (!(refusal instanceof VxError)) return refusal;
  const { name, code, message, cause } = refusal;
  const told =
    refusal instanceof DimensionMismatchError
      ? `${message} (vectors[${at}], id ${id})`
      : `vectors[${at}]: ${message}`;
  return fromErrorData({ name, code, message: told }, { cause });
}

/** The refusal of a later part of what is added part by part tells what is in already. A mismatch keeps its words here, too. */
export function afterAdding(count: number, refusal: unknown): unknown {
  if (count === 0 || !(refusal instanceof VxError) || refusal instanceof DimensionMismatchError)
    return refusal;
  const { name, code, message, cause } = refusal;
  return fromErrorData(
    { name, code, message: `${message} (${count} vectors before that were added)` },
    { cause },
  );
}

/** An error as data, for crossing a worker, and back as an error of the same class. */
export interface VxErrorData {
  name: string;
  code: VxErrorCode;
  message: string;
}

export function toErrorData(error: unknown): VxErrorData {
  if (error instanceof VxError) return { name: error.name, code: error.code, message: error.message };
  return {
    name: "VxError",
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
  };
}

export function fromErrorData({ name, code, message }: VxErrorData, options?: ErrorOptions): VxError {
  if (name === "InvalidIDError") return new InvalidIDError(message);
  if (name !== "DimensionMismatchError") return new VxError(code, message, options);
  // Both numbers stand in the message alone.
  const mismatch: VxError = Reflect.construct(VxError, [code, message], DimensionMismatchError);
  return Object.assign(mismatch, { name });
}
