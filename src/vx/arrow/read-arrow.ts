/**
 * Apache Arrow data as batches for the engine. Called by Vx, and loaded by it only when Arrow is used; calls apache-arrow.
 * Source: the Arrow columnar format and its IPC streaming format.
 *
 * | column | type | meaning |
 * |---|---|---|
 * | `id` | any integer | the vector's id, never null |
 * | `vector` | FixedSizeList(dimension) of Float32 | read where it lies, never null |
 * | `metadata` | Utf8, LargeUtf8 or Utf8View, or a dictionary of them | JSON text of one object, kept to the letter |
 * | `metadata` | Struct or Map | the object itself; null leaves a key out |
 * | any other | see values | a key of the metadata; null leaves it out |
 */
import {
  type RecordBatch as ArrowBatch,
  DataType,
  Field,
  FixedSizeList,
  Float32,
  Precision,
  RecordBatchReader,
  Schema,
  Uint64,
  Utf8,
  type Vector,
} from "apache-arrow";
import { readId } from "../arguments.ts";
import { type EncodedTexts, EncodedTextsWriter } from "../engine/encoded-texts.ts";
import type { RecordBatch } from "../engine/engine.ts";
import { DimensionMismatchError, InvalidIDError, VxError } from "../errors.ts";
import { MAX_ID } from "../hnsw/limits.ts";
import { TurnClock } from "../turn-clock.ts";
import { checkColumn, isText } from "./column-check.ts";
import { checkFile, isArrowFile } from "./file.ts";
import type { ArrowInput, ArrowRecordBatch, ArrowTable } from "./input.ts";
import { ARROW_ROWS_A_LOOK } from "./limits.ts";
import { checkedMessages } from "./stream.ts";
import { isObject, jsonOf, membersOf } from "./values.ts";

/** The schema of records with vectors of that dimension; fields of other names may be added to it. */
export function vectorSchema(dimension: number): Schema {
  return new Schema([
    new Field("id", new Uint64(), false),
    new Field("vector", new FixedSizeList(dimension, new Field("item", new Float32(), false)), false),
    new Field("metadata", new Utf8(), true),
  ]);
}

/**
 * One batch a record batch. Vectors are views of the data given; what is made of the other columns is made in turns,
 * for this runs in the caller's thread.
 * @throws InvalidIDError, DimensionMismatchError, VxError `invalid_request`, `invalid_vector`
 */
export async function* readArrow(
  input: ArrowInput,
  { dimension, maxId = MAX_ID }: { dimension: number; maxId?: bigint | undefined },
): AsyncGenerator<RecordBatch> {
  for await (const batch of batchesOf(input)) {
    if (batch.numRows > 0) yield await readingArrow(() => toRecords(batch, dimension, maxId));
  }
}

async function* batchesOf(input: ArrowInput): AsyncGenerator<ArrowBatch> {
  if (isOf<ArrowTable>(input, "batches")) yield* input.batches as ArrowBatch[];
  else if (isOf<ArrowRecordBatch>(input, "numRows")) yield input as ArrowBatch;
  else if (input instanceof Uint8Array || input instanceof ArrayBuffer) yield* readBytes(input);
  else if (isOf<AsyncIterable<Uint8Array>>(input, Symbol.asyncIterator)) yield* readBytes(input);
  else throw new VxError("invalid_request", "Arrow data is bytes, a RecordBatch or a Table");
}

function isOf<T extends object>(value: unknown, member: keyof T): value is T {
  return typeof value === "object" && value !== null && member in value;
}

async function* readBytes(input: Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>) {
  const bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
  if (bytes instanceof Uint8Array && isArrowFile(bytes)) {
    yield* readSource(bytes);
    return;
  }
  const messages = checkedMessages(bytes instanceof Uint8Array ? [bytes] : bytes);
  try {
    yield* readSource(messages);
  } finally {
    // apache-arrow does not, where it has not read to the end.
    await messages.return(undefined);
  }
}

/** Bytes that are no Arrow make apache-arrow throw errors of all kinds, or see no schema. */
async function* readSource(source: Uint8Array | AsyncIterable<Uint8Array>) {
  const reader = await readingArrow(async () => {
    const opened = await (await openReader(source)).open();
    if (opened.schema === undefined) throw new TypeError("there is no schema in it");
    return opened;
  });
  try {
    for (;;) {
      const { done, value } = await readingArrow(async () => reader.next());
      if (done || value === null) return;
      yield value as ArrowBatch;
    }
  } finally {
    await reader.cancel();
  }
}

/** Of a file, or of the messages of a stream. */
function openReader(source: Uint8Array | AsyncIterable<Uint8Array>) {
  if (!(source instanceof Uint8Array)) return RecordBatchReader.from(source);
  checkFile(source);
  return RecordBatchReader.from(source);
}

async function readingArrow<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof VxError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new VxError("invalid_request", `The data cannot be read as Arrow: ${reason}`, { cause: error });
  }
}

async function toRecords(batch: ArrowBatch, dimension: number, maxId: bigint): Promise<RecordBatch> {
  checkNames(batch);
  const ids = column(batch, "id");
  const vectors = vectorsOf(column(batch, "vector"), dimension);
  return {
    ids: await idsOf(ids, maxId),
    vectors,
    isView: true,
    metadata: await metadataOf(batch),
  };
}

/** Columns are read by their names: of two with one name, one would be read twice. */
function checkNames({ schema }: ArrowBatch): void {
  const names = new Set<string>();
  for (const { name } of schema.fields) {
    if (names.has(name)) throw new VxError("invalid_request", `The Arrow data has two columns ${name}`);
    names.add(name);
  }
}

function column(batch: ArrowBatch, name: string): Vector {
  const found = batch.getChild(name);
  if (found === null) throw new VxError("invalid_request", `The Arrow data has no column ${name}`);
  checkColumn(found.data[0], batch.numRows, name);
  return found;
}

async function idsOf(ids: Vector, maxId: bigint): Promise<BigUint64Array> {
  if (!DataType.isInt(ids.type)) throw new VxError("invalid_request", "The column id must be of integers");
  const read = new BigUint64Array(ids.length);
  await inTurns(ids.length, (row) => {
    const id = readId(ids.get(row));
    if (id > maxId) throw new InvalidIDError(`Invalid id ${id}: it must be an integer from 0 to ${maxId}`);
    read[row] = id;
  });
  return read;
}

function vectorsOf(vectors: Vector, dimension: number): Float32Array {
  const { type } = vectors;
  if (!DataType.isFixedSizeList(type) || !isFloat32(type.valueType)) {
    throw new VxError("invalid_request", "The column vector must be a FixedSizeList of Float32");
  }
  if (type.listSize !== dimension) throw new DimensionMismatchError(dimension, type.listSize);
  const numbers = vectors.data[0]?.children[0];
  if (vectors.nullCount > 0 || numbers === undefined || numbers.nullCount > 0) {
    throw new VxError("invalid_vector", "The column vector has a null");
  }
  return numbers.values.subarray(0, vectors.length * dimension);
}

function isFloat32(type: DataType): boolean {
  return DataType.isFloat(type) && type.precision === Precision.SINGLE;
}

/** Undefined where the batch has no metadata. */
async function metadataOf(batch: ArrowBatch): Promise<EncodedTexts | undefined> {
  const whole = batch.schema.fields.find(({ name, type }) => name === "metadata" && isWhole(type));
  const keys = batch.schema.fields.flatMap(({ name }) =>
    name === "id" || name === "vector" || name === whole?.name ? [] : [name],
  );
  if (keys.length === 0 && whole === undefined) return undefined;
  const objects = whole && column(batch, whole.name);
  const columns = keys.map((name) => ({ name: JSON.stringify(name), values: column(batch, name) }));
  const read = new EncodedTextsWriter(batch.numRows);
  await inTurns(batch.numRows, (row) => {
    const object = objects?.get(row) ?? undefined;
    const text = typeof object === "string" ? object : undefined;
    const members = objects && isObject(objects.type) ? membersOf(object, objects.type) : [];
    for (const { name, values } of columns) {
      const value = values.get(row);
      if (value !== null) members.push(`${name}:${jsonOf(value, values.type)}`);
    }
    if (members.length === 0) read.add(text);
    else read.add(text === undefined ? `{${members.join()}}` : joined(text, members));
  });
  return read.finish();
}

async function inTurns(rows: number, work: (row: number) => void): Promise<void> {
  const clock = new TurnClock();
  for (let row = 0; row < rows; row++) {
    work(row);
    if (row % ARROW_ROWS_A_LOOK === 0 && clock.isOver) await clock.next();
  }
}

/** Whether a column holds whole objects: their texts, or their members. */
function isWhole(type: DataType): boolean {
  return isObject(type) || isText(DataType.isDictionary(type) ? type.dictionary : type);
}

/** An object's text with more members behind its own; what is none is given as it is, to be refused. */
function joined(text: string, members: string[]): string {
  const object = text.trim();
  if (!object.startsWith("{") || !object.endsWith("}")) return text;
  const inner = object.slice(1, -1).trim();
  return `{${[...(inner === "" ? [] : [inner]), ...members].join()}}`;
}
