/**
 * Checks of what vectors and metadata say, before anything of a batch is written. Called by the engine, in its thread, for
 * they read every number. They are no laxer than the graph's own: what passes here is never refused there.
 */
import { ofRecord, VxError } from "../errors.ts";
import { invalidVector } from "../hnsw/arguments.ts";
import type { Metric } from "../hnsw/graph.ts";
import { MAX_SQUARE, MIN_SQUARE } from "../hnsw/limits.ts";
import { JsonScanner } from "../metadata/json-scanner.ts";
import { checkMetadata } from "../metadata/record-reader.ts";
import type { Operation } from "../storage/operations.ts";
import { TurnClock } from "../turn-clock.ts";
import { textsIn } from "./encoded-texts.ts";
import type { RecordBatch } from "./engine.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The graph sums in another order, which changes the last bits. */
const ROUNDING = 1e-9;
const LARGEST_SQUARE = MAX_SQUARE * (1 - ROUNDING);
const SMALLEST_SQUARE = MIN_SQUARE * (1 + ROUNDING);
/** Keeps rounding to f32 from lengthening what was shortened. */
const SHORTENED = 1 - 1e-6;

/**
 * What a batch comes to, checked, in turns. Vectors are views of the batch's.
 * @throws VxError `invalid_vector`, `invalid_request`
 */
export async function checkedOperations(
  { ids, vectors, metadata }: RecordBatch,
  dimension: number,
  metric: Metric,
): Promise<Operation[]> {
  if (vectors.length !== ids.length * dimension) {
    throw new VxError("invalid_request", `${ids.length} vectors have ${ids.length * dimension} numbers`);
  }
  const clock = new TurnClock();
  const operations: Operation[] = [];
  const texts = metadata && textsIn(metadata);
  const scanner = new JsonScanner();
  for (const [i, id] of ids.entries()) {
    const [start, end] = [i * dimension, (i + 1) * dimension];
    const text: Uint8Array<ArrayBuffer> | undefined = texts?.next().value;
    try {
      checkNumbers(vectors, start, end, metric);
      if (text !== undefined) checkMetadata(text, scanner);
    } catch (error) {
      throw ids.length === 1 ? error : ofRecord(i, id, error);
    }
    operations.push({
      kind: "add",
      id,
      vector: vectors.subarray(start, end),
      metadata: text && decoder.decode(text),
    });
    if (clock.isOver) await clock.next();
  }
  return operations;
}

/** @throws VxError `invalid_vector` */
export function checkVector(vector: Float32Array, metric: Metric): void {
  checkNumbers(vector, 0, vector.length, metric);
}

/**
 * A reduced vector as the graph takes it: what was accepted as it was added must not be refused for what a model makes of
 * it. One too long is shortened; one without a direction, which the mean of all comes to, has the first axis' under cosine.
 */
export function soundVector(reduced: Float32Array, metric: Metric): Float32Array {
  const square = squareOf(reduced, 0, reduced.length);
  if (square > LARGEST_SQUARE) {
    const share = Math.sqrt(LARGEST_SQUARE / square) * SHORTENED;
    return reduced.map((number) => number * share);
  }
  if (metric === "l2" || square >= SMALLEST_SQUARE) return reduced;
  const axis = new Float32Array(reduced.length);
  axis[0] = 1;
  return axis;
}

/** @throws VxError `invalid_vector` */
function checkNumbers(vectors: Float32Array, start: number, end: number, metric: Metric): void {
  const square = squareOf(vectors, start, end);
  const fits = square <= LARGEST_SQUARE && (metric === "l2" || square >= SMALLEST_SQUARE);
  if (!fits) throw invalidVector(metric);
}

function squareOf(vectors: Float32Array, start: number, end: number): number {
  let square = 0;
  for (let i = start; i < end; i++) square += (vectors[i] as number) ** 2;
  return square;
}
