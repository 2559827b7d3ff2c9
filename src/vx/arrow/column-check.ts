/**
 * Whether Arrow data holds what its lengths claim. Called by read-arrow before it reads a column, for apache-arrow believes
 * lengths and offsets, and forged ones would keep a reader busy for hours. Source: the Arrow columnar format.
 */
import {
  type Data,
  DataType,
  type LargeList,
  type LargeUtf8,
  type List,
  Type,
  type Utf8,
  type Utf8View,
} from "apache-arrow";
import { VxError } from "../errors.ts";
import { MAX_FRAME_BYTES } from "../storage/limits.ts";
import { MAX_ARROW_DEPTH } from "./limits.ts";

/** Of one text, which lies in it where it has no more than so many bytes. */
const VIEW_BYTES = 16;
const MAX_INLINE_BYTES = 12;

/** Parts of dictionaries that are sound, and at which depth: each is in every batch, and maybe in thousands of columns. */
const soundParts = new WeakMap<Data, number>();

/**
 * `rows`: how many the column must have.
 * @throws VxError `invalid_request`
 */
export function checkColumn(data: Data | undefined, rows: number, column: string): void {
  const wrong = (what: string) => new VxError("invalid_request", `The Arrow column ${column} ${what}`);
  if (data === undefined || data.length !== rows) throw wrong("has another length than its batch");
  if (!isSound(data, 0)) {
    throw wrong(`is damaged, or of a type that cannot be read (${Type[data.typeId]})`);
  }
}

function isSound(data: Data, depth: number): boolean {
  const { type, length, children } = data;
  if (!Number.isSafeInteger(length) || length < 0 || depth > MAX_ARROW_DEPTH) return false;
  // A Null column takes no bytes: nothing bears its length out, but for rows of the batch.
  if (DataType.isNull(type)) return depth === 0;
  if (data.nullCount > 0 && data.nullBitmap && data.nullBitmap.length * 8 < length) return false;
  if (DataType.isUtf8View(type)) return hasViews(data);
  if (isText(type)) return hasOffsets(data, data.values.length);
  if (DataType.isBool(type)) return data.values.length * 8 >= length;
  if (isList(type) || DataType.isMap(type)) {
    const [child] = children;
    return child !== undefined && hasOffsets(data, child.length) && isSound(child, depth + 1);
  }
  if (DataType.isFixedSizeList(type)) {
    const [child] = children;
    const { listSize } = type;
    return (
      child !== undefined && listSize > 0 && child.length >= length * listSize && isSound(child, depth + 1)
    );
  }
  if (DataType.isStruct(type)) {
    const isWhole = (child: Data) => child.length >= length && isSound(child, depth + 1);
    return children.length > 0 && children.every(isWhole);
  }
  if (DataType.isDictionary(type)) {
    const dictionary = data.dictionary?.data ?? [];
    return data.values.length >= length && dictionary.every((part) => isSoundPart(part, depth + 1));
  }
  const isPlain = [DataType.isInt, DataType.isFloat, DataType.isDate, DataType.isTimestamp].some((is) =>
    is(type),
  );
  return isPlain && data.values.length >= length * data.stride;
}

function isSoundPart(part: Data, depth: number): boolean {
  if ((soundParts.get(part) ?? -1) >= depth) return true;
  const isPartSound = isSound(part, depth);
  if (isPartSound) soundParts.set(part, depth);
  return isPartSound;
}

/** Also with offsets of 64 bits, as pandas writes all its texts, and as views, as Polars does. */
export function isText(type: DataType): type is Utf8 | LargeUtf8 | Utf8View {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/** Of any length each, also with offsets of 64 bits. */
export function isList(type: DataType): type is List | LargeList {
  return DataType.isList(type) || DataType.isLargeList(type);
}

/** Whether the offsets, of 32 or 64 bits, rise, and end within what they point into. */
function hasOffsets({ length, valueOffsets }: Data, limit: number): boolean {
  if (length === 0) return true;
  if (valueOffsets === undefined || valueOffsets.length <= length || valueOffsets[0] < 0) return false;
  for (let i = 0; i < length; i++) if (valueOffsets[i + 1] < valueOffsets[i]) return false;
  return valueOffsets[length] <= limit;
}

/**
 * Whether each view (length, then the text; or its beginning, a buffer and an offset) leads to a text that is there, and no more
 * text than a batch may have comes of them all: many may lead to one.
 */
function hasViews(data: Data): boolean {
  const { length, values, variadicBuffers } = data;
  if (values.byteLength < length * VIEW_BYTES) return false;
  const views = new DataView(values.buffer, values.byteOffset, values.byteLength);
  let textBytes = 0;
  for (let i = 0; i < length; i++) {
    if (!data.getValid(i)) continue;
    const at = i * VIEW_BYTES;
    const bytes = views.getInt32(at, true);
    if (bytes < 0) return false;
    if (bytes > MAX_INLINE_BYTES) {
      const buffer = variadicBuffers[views.getInt32(at + 8, true)];
      const offset = views.getInt32(at + 12, true);
      if (buffer === undefined || offset < 0 || offset + bytes > buffer.byteLength) return false;
    }
    textBytes += bytes;
  }
  return textBytes <= MAX_FRAME_BYTES;
}
