/**
 * Whether the head of an Arrow message is a sound flatbuffer: every table and vector within it, fields not too many nor
 * too deep, rows and buffers no more than the body has room for. Called by stream and file, for
 * apache-arrow believes what heads say, and a forged one would fill memory. Sources: FlatBuffers' binary format;
 * Message.fbs, Schema.fbs and File.fbs of Arrow.
 *
 * A table begins with the distance back to its vtable; a vtable is u16: its bytes, the table's bytes, then for each field its
 * place in the table, 0 for none. Tables and vectors are pointed to by their distance ahead; a vector begins with its count.
 */
import { VxError } from "../errors.ts";
import { MAX_ARROW_DEPTH, MAX_ARROW_FIELDS } from "./limits.ts";

/** What a message begins with, of Arrow 0.15 and later. */
export const CONTINUATION = 0xffffffff;

const SCHEMA = 1;
export const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;

/** Fields of the tables, by their place in the vtable. */
const message = { kind: 1, header: 2, bodyBytes: 3, metadata: 4 };
const schema = { fields: 1, metadata: 2, features: 3 };
const field = { name: 0, dictionary: 4, children: 5, metadata: 6 };
const keyValue = { key: 0, value: 1 };
const dictionaryBatch = { data: 1 };
const footer = { schema: 1, dictionaries: 2, batches: 3, metadata: 4 };
const recordBatch = { rows: 0, nodes: 1, buffers: 2, variadic: 4 };

const POINTER_BYTES = 4;
const LONG_BYTES = 8;
/** A node is rows and nulls; a buffer offset and length: two int64. */
const PAIR_BYTES = 16;
/** A block of a footer: offset as int64, length of the head as int32, four zeros, length of the body as int64. */
const BLOCK_BYTES = 24;
/** A row takes a bit at least, in a column of booleans. */
const ROWS_A_BYTE = 8;

/** Where a message of a file lies, and of what kind it is: `headBytes` from its prefix to its body. */
export interface Block {
  offset: number;
  headBytes: number;
  kind: number;
}

/** What a head says of its message: its kind, and the length of the body that follows. */
export interface ArrowHead {
  kind: number;
  bodyBytes: number;
}

/** `kind`: what the message must be. @throws VxError `invalid_request` */
export function checkHead(head: Uint8Array, kind?: number): ArrowHead {
  return checked(() => new Head(head).check(kind));
}

/** The same for the footer of a file; gives the messages in it. @throws VxError `invalid_request` */
export function checkFooter(footer: Uint8Array): Block[] {
  return checked(() => new Head(footer).checkFooter());
}

/** A DataView refuses places outside of the head. */
function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new VxError("invalid_request", "The data is no Arrow: a head is damaged", { cause: error });
  }
}

class Head {
  readonly #view: DataView;
  #fields = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  check(expectedKind: number | undefined): ArrowHead {
    const root = this.#view.getUint32(0, true);
    const bodyBytes = this.#long(this.#member(root, message.bodyBytes));
    this.#keyValues(root, message.metadata);
    const header = this.#table(root, message.header);
    const kindAt = this.#member(root, message.kind);
    const kind = kindAt === undefined ? 0 : this.#view.getUint8(kindAt);
    if (header === undefined) throw new RangeError("no header");
    if (expectedKind !== undefined && kind !== expectedKind) throw new RangeError("another kind of message");
    if (kind === SCHEMA) this.#schema(header);
    else if (kind === RECORD_BATCH) this.#batch(header, bodyBytes);
    else if (kind === DICTIONARY_BATCH) {
      const data = this.#table(header, dictionaryBatch.data);
      if (data === undefined) throw new RangeError("no data");
      this.#batch(data, bodyBytes);
    } else throw new RangeError("not a message of a stream");
    return { kind, bodyBytes };
  }

  checkFooter(): Block[] {
    const root = this.#view.getUint32(0, true);
    const schemaAt = this.#table(root, footer.schema);
    if (schemaAt === undefined) throw new RangeError("no schema");
    this.#schema(schemaAt);
    this.#keyValues(root, footer.metadata);
    return [
      ...this.#blocks(root, footer.dictionaries, DICTIONARY_BATCH),
      ...this.#blocks(root, footer.batches, RECORD_BATCH),
    ];
  }

  #blocks(table: number, index: number, kind: number): Block[] {
    const { start, count } = this.#vector(table, index, BLOCK_BYTES);
    return Array.from({ length: count }, (_, i) => {
      const at = start + i * BLOCK_BYTES;
      return { offset: this.#long(at), headBytes: this.#view.getInt32(at + LONG_BYTES, true), kind };
    });
  }

  #schema(table: number): void {
    this.#vector(table, schema.features, LONG_BYTES);
    this.#keyValues(table, schema.metadata);
    for (const child of this.#tables(table, schema.fields)) this.#field(child, 0);
  }

  #field(table: number, depth: number): void {
    if (++this.#fields > MAX_ARROW_FIELDS || depth > MAX_ARROW_DEPTH) throw new RangeError("too many fields");
    this.#vector(table, field.name, 1);
    this.#table(table, field.dictionary);
    this.#keyValues(table, field.metadata);
    for (const child of this.#tables(table, field.children)) this.#field(child, depth + 1);
  }

  #batch(table: number, bodyBytes: number): void {
    const most = bodyBytes * ROWS_A_BYTE;
    const nodes = this.#vector(table, recordBatch.nodes, PAIR_BYTES);
    const buffers = this.#vector(table, recordBatch.buffers, PAIR_BYTES);
    this.#vector(table, recordBatch.variadic, LONG_BYTES);
    const rows = this.#long(this.#member(table, recordBatch.rows));
    const lengths = Array.from({ length: nodes.count }, (_, i) => this.#long(nodes.start + i * PAIR_BYTES));
    if ([rows, ...lengths].some((length) => length > most)) throw new RangeError("more rows than bytes");
    let bufferBytes = 0;
    for (let i = 0; i < buffers.count; i++)
      bufferBytes += this.#long(buffers.start + i * PAIR_BYTES + LONG_BYTES);
    // Thousands of columns could lie in the same bytes, and each is looked through.
    if (bufferBytes > bodyBytes) throw new RangeError("more buffers than bytes");
  }

  #keyValues(table: number, index: number): void {
    for (const pair of this.#tables(table, index)) {
      if (++this.#fields > MAX_ARROW_FIELDS) throw new RangeError("too much metadata");
      this.#vector(pair, keyValue.key, 1);
      this.#vector(pair, keyValue.value, 1);
    }
  }

  /** Where a table's field lies; undefined where it is left out. */
  #member(table: number, index: number): number | undefined {
    const vtable = table - this.#view.getInt32(table, true);
    const place = POINTER_BYTES + index * 2;
    if (place + 2 > this.#view.getUint16(vtable, true)) return undefined;
    const offset = this.#view.getUint16(vtable + place, true);
    return offset === 0 ? undefined : table + offset;
  }

  #table(table: number, index: number): number | undefined {
    const at = this.#member(table, index);
    return at === undefined ? undefined : at + this.#view.getUint32(at, true);
  }

  #vector(table: number, index: number, elementBytes: number): { start: number; count: number } {
    const at = this.#table(table, index);
    if (at === undefined) return { start: 0, count: 0 };
    const count = this.#view.getUint32(at, true);
    const start = at + POINTER_BYTES;
    if (start + count * elementBytes > this.#view.byteLength) throw new RangeError("a vector ends outside");
    return { start, count };
  }

  *#tables(table: number, index: number): Generator<number> {
    const { start, count } = this.#vector(table, index, POINTER_BYTES);
    for (let at = start; at < start + count * POINTER_BYTES; at += POINTER_BYTES) {
      yield at + this.#view.getUint32(at, true);
    }
  }

  #long(at: number | undefined): number {
    if (at === undefined) return 0;
    const value = Number(this.#view.getBigInt64(at, true));
    if (value >= 0 && Number.isSafeInteger(value)) return value;
    throw new RangeError("a length out of range");
  }
}
