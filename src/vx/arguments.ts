/**
 * What callers hand to Vx, checked and brought into the engine's types. Called by Vx alone, before anything is sent or
 * written; what the numbers of a vector and the text of metadata say is checked by the engine.
 */

import { EncodedTextsWriter } from "./engine/encoded-texts.ts";
import type { RecordBatch, ResultRange } from "./engine/engine.ts";
import { DimensionMismatchError, InvalidIDError, ofRecord, VxError } from "./errors.ts";
import { checkedId } from "./hnsw/arguments.ts";
import { DEFAULT_K, MAX_K, MAX_NUMBER_ID } from "./limits.ts";
import type { Facets } from "./metadata/metadata-index.ts";

/** An unsigned integer below 2^64. Comes back as a number where that is exact (up to 2^53 - 1), else as a bigint. */
export type VectorId = number | bigint;

/** Numbers that are finite as 32-bit floats. */
export type Vector = Float32Array | ArrayLike<number>;

export type Metadata = Record<string, unknown>;

/** An object of any declared type. What is iterated over, as an array, a Map or a Set, is none. */
export type MetadataObject = Metadata | (object & { readonly [Symbol.iterator]?: never });

/** An object, or the text of one, which is then kept to the letter. */
export type MetadataInput = MetadataObject | string | null | undefined;

/** @throws InvalidIDError */
export function readId(id: VectorId): bigint {
  if (typeof id === "bigint" || typeof id === "number") return checkedId(id);
  const given = typeof id === "string" ? JSON.stringify(id) : String(id);
  throw new InvalidIDError(`Invalid id ${given}: it must be an unsigned integer`);
}

export function writeId(id: bigint): VectorId {
  return id <= MAX_NUMBER_ID ? Number(id) : id;
}

/** A copy of the vector. @throws DimensionMismatchError, VxError `invalid_vector` */
export function readVector(vector: Vector, dimension: number): Float32Array {
  const numbers = new Float32Array(dimension);
  numbers.set(checkedVector(vector, dimension));
  return numbers;
}

/** @throws DimensionMismatchError, VxError `invalid_vector`, `invalid_request` */
export function readVectors(vectors: ArrayLike<Vector>, dimension: number): Float32Array[] {
  if (!isArrayLike(vectors)) throw new VxError("invalid_request", "Several vectors are a list of them");
  return Array.from(vectors, (vector) => readVector(vector, dimension));
}

/** The vector itself. @throws DimensionMismatchError, VxError `invalid_vector` */
function checkedVector(vector: Vector, dimension: number): Vector {
  if (!isArrayLike(vector)) throw new VxError("invalid_vector", "A vector is an array of numbers");
  if (vector.length !== dimension) throw new DimensionMismatchError(dimension, vector.length);
  if (!(vector instanceof Float32Array)) checkNumbers(vector);
  return vector;
}

/** A Float32Array would make numbers of strings, null and booleans. */
function checkNumbers(vector: ArrayLike<unknown>): void {
  for (let i = 0; i < vector.length; i++) {
    if (typeof vector[i] === "number") continue;
    throw new VxError("invalid_vector", `A vector's elements must be numbers; element ${i} is not`);
  }
}

/** @throws VxError `invalid_request` */
export function readMetadata(metadata: MetadataInput): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (typeof metadata === "string") return metadata;
  if (!isRecord(metadata)) throw noObject();
  try {
    return JSON.stringify(metadata);
  } catch (error) {
    // A bigint, a cycle, or too deep.
    const reason = error instanceof Error ? error.message : String(error);
    // Engines draw a cycle over several lines.
    const message = `Metadata must be an object that JSON can hold: ${reason.replace(/\s+/g, " ")}`;
    throw new VxError("invalid_request", message, { cause: error });
  }
}

function noObject(): VxError {
  return new VxError("invalid_request", "Metadata must be one object, with strings as keys");
}

/**
 * A batch of the records given in three lists of one length (metadata may be left out), with a chance to pause after each.
 * @throws InvalidIDError, DimensionMismatchError, VxError `invalid_vector`, `invalid_request`, `capacity_exceeded`
 */
export function* readBatch(
  ids: ArrayLike<VectorId>,
  vectors: ArrayLike<Vector>,
  metadata: ArrayLike<MetadataInput> | undefined,
  dimension: number,
): Generator<void, RecordBatch> {
  if (!isArrayLike(ids) || !isArrayLike(vectors) || (metadata !== undefined && !isArrayLike(metadata))) {
    throw new VxError("invalid_request", "A batch is lists of ids, vectors and metadata");
  }
  const { length } = ids;
  if (vectors.length !== length || (metadata !== undefined && metadata.length !== length)) {
    const lengths = `${length} ids, ${vectors.length} vectors, ${metadata?.length ?? "no"} metadata`;
    throw new VxError("invalid_request", `The lists of a batch must have one length: ${lengths}`);
  }
  const { batch, texts } = emptyBatch(length, dimension);
  for (let i = 0; i < length; i++) {
    try {
      batch.ids[i] = readId(ids[i] as VectorId);
      batch.vectors.set(checkedVector(vectors[i] as Vector, dimension), i * dimension);
      texts.add(readMetadata(metadata?.[i]));
    } catch (error) {
      throw length === 1 ? error : ofRecord(i, batch.ids[i] as bigint, error);
    }
    yield;
  }
  batch.metadata = texts.finish();
  return batch;
}

/** @throws VxError `capacity_exceeded` */
function emptyBatch(length: number, dimension: number): { batch: RecordBatch; texts: EncodedTextsWriter } {
  try {
    const ids = new BigUint64Array(length);
    const vectors = new Float32Array(length * dimension);
    return { batch: { ids, vectors }, texts: new EncodedTextsWriter(length) };
  } catch (error) {
    // What engines throw for arrays that they have no room for.
    if (!(error instanceof RangeError)) throw error;
    throw new VxError("capacity_exceeded", `No memory for a batch of ${length} vectors`, { cause: error });
  }
}

/** @throws VxError `invalid_request` */
export function readRange(k: number = DEFAULT_K, page?: number, pageSize?: number): ResultRange {
  checkWhole("k", k, 1, MAX_K);
  if (page !== undefined) checkWhole("page", page, 1);
  if (pageSize !== undefined) checkWhole("pageSize", pageSize, 1);
  // A page without a size is one of k: the first holds everything.
  return { k, page: page ?? 1, pageSize: pageSize ?? k };
}

/** @throws VxError `invalid_request` unless it is a whole number from `least` to `most` */
export function checkWhole(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new VxError("invalid_request", `${name} is ${String(value)}; it must be an integer ${range}`);
}

/** @throws VxError `invalid_request` */
export function checkText(name: string, value: string): void {
  if (typeof value !== "string") throw new VxError("invalid_request", `${name} must be a string`);
}

/** A copy of the facets, with the texts that values are compared by. @throws VxError `invalid_request` */
export function readFacets(facets: Facets): Facets {
  if (!isRecord(facets)) {
    throw new VxError("invalid_request", "Facets are an object of keys and values");
  }
  const texts = Object.entries(facets).map(([key, value]) => {
    if (["string", "number", "boolean"].includes(typeof value)) return [key, String(value)];
    throw new VxError("invalid_request", `The facet ${key} must be a string, a number or a boolean`);
  });
  return Object.fromEntries(texts);
}

/** Of a Map or a Set, JSON and Object.entries would see nothing. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  if (typeof value !== "object" || value === null || !("length" in value)) return false;
  return Number.isInteger(value.length) && (value.length as number) >= 0;
}
