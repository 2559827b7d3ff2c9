/** Arrow data from apache-arrow itself, in every shape it comes in. */
import {
  Bool,
  type Data,
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int32,
  Int64,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchReader,
  Schema,
  Struct,
  Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  Uint64,
  Utf8,
  Utf8View,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { checkColumn } from "../../../src/vx/arrow/column-check.ts";
import { checkFile } from "../../../src/vx/arrow/file.ts";
import { type Block, checkFooter } from "../../../src/vx/arrow/heads.ts";
import { readArrow, vectorSchema } from "../../../src/vx/arrow/read-arrow.ts";
import type { RecordBatch as RecordsToAdd } from "../../../src/vx/engine/engine.ts";
import { VxError } from "../../../src/vx/errors.ts";
import { metadataText } from "../../../src/vx/results.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { inlineHost, MemoryDisk } from "../library/memory-disk.ts";

const DIMENSION = 4;

function vectorData(numbers: Float32Array, dimension = DIMENSION) {
  const type = new FixedSizeList(dimension, new Field("item", new Float32(), false));
  const child = makeData({ type: new Float32(), length: numbers.length, data: numbers });
  return makeData({ type, length: numbers.length / dimension, child });
}

/** Records with ids from `first` on, vector i all i's, and metadata columns. */
function batchOf(first: number, count: number): RecordBatch {
  const ids = BigUint64Array.from({ length: count }, (_, i) => BigInt(first + i));
  const numbers = Float32Array.from(
    { length: count * DIMENSION },
    (_, i) => first + Math.floor(i / DIMENSION),
  );
  const rows = Array.from({ length: count }, (_, i) => first + i);
  const columns = {
    id: makeData({ type: new Uint64(), length: count, data: ids }),
    vector: vectorData(numbers),
    name: vectorFromArray(
      rows.map((row) => (row % 3 === 0 ? null : `n${row}`)),
      new Utf8(),
    ).data[0],
    big: vectorFromArray(
      rows.map((row) => BigInt(row) + 2n ** 60n),
      new Int64(),
    ).data[0],
    tags: vectorFromArray(
      rows.map((row) => [`t${row % 2}`, "all"]),
      new List(new Field("item", new Utf8(), true)),
    ).data[0],
    flag: vectorFromArray(
      rows.map((row) => row % 2 === 0),
      new Bool(),
    ).data[0],
  };
  const fields = Object.entries(columns).map(
    ([name, data]) => new Field(name, (data as { type: Utf8 }).type, true),
  );
  const type = new Struct(fields);
  const struct = makeData({ type, length: count, nullCount: 0, children: Object.values(columns) as never[] });
  return new RecordBatch(new Schema(fields), struct as never);
}

async function opened(maxElements = 0): Promise<Vx> {
  const vx = new Vx({ dimension: DIMENSION, distance: "l2", maxElements }, inlineHost(new MemoryDisk()));
  await vx.ready();
  return vx;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...first, ...second]);
}

function twice(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined(bytes, bytes);
}

describe("appendFromArrow", () => {
  const table = new Table([batchOf(0, 3), batchOf(3, 4)]);
  const inputs: [name: string, input: () => Parameters<Vx["appendFromArrow"]>[0]][] = [
    ["a table", () => table],
    ["bytes of a stream", () => tableToIPC(table, "stream")],
    ["bytes of a file", () => tableToIPC(table, "file")],
    ["an ArrayBuffer", () => tableToIPC(table, "stream").slice().buffer],
    ["a stream in pieces of 7 bytes", () => pieces(tableToIPC(table, "stream"), 7)],
  ];

  it.each(inputs)("takes %s", async (_, input) => {
    const vx = await opened();
    expect(await vx.appendFromArrow(input())).toEqual({ count: 7 });
    expect((await vx.search([5, 5, 5, 5], 1))[0]?.id).toBe(5);
    expect((await vx.get(4))?.vector).toEqual(new Float32Array(4).fill(4));
    expect(metadataText((await vx.get(4))?.metadata ?? {})).toBe(
      '{"name":"n4","big":1152921504606846980,"tags":["t0","all"],"flag":true}',
    );
    expect((await vx.get(3))?.metadata).not.toHaveProperty("name");
    await vx.close();
  });

  it.each([
    ["a stream with another behind it", () => twice(tableToIPC(table, "stream"))],
    ["such a stream as it comes", () => pieces(twice(tableToIPC(table, "stream")), 7)],
    ["a file with itself behind it", () => twice(tableToIPC(table, "file"))],
    [
      "a file with one without batches behind it",
      () => joined(tableToIPC(table, "file"), tableToIPC(new Table(table.schema), "file")),
    ],
    ["a file whose last byte is another", () => tableToIPC(table, "file").with(-1, 0)],
  ] as const)("refuses %s", async (_, input) => {
    const vx = await opened();
    await expect(vx.appendFromArrow(input())).rejects.toMatchObject({ code: "invalid_request" });
    await vx.close();
  });

  it("tells how many were added before a stream broke off, or the index was full", async () => {
    const stream = tableToIPC(table, "stream");
    const added = expect.stringContaining("(3 vectors before that were added)");
    const vx = await opened();
    await expect(vx.appendFromArrow(pieces(stream.slice(0, -40), 7))).rejects.toMatchObject({
      code: "invalid_request",
      message: added,
    });
    expect((await vx.list()).total).toBe(3);
    await vx.close();
    const small = await opened(5);
    await expect(small.appendFromArrow(stream)).rejects.toMatchObject({
      code: "capacity_exceeded",
      message:
        "The index takes 5 vectors at most, and there would be more (3 vectors before that were added)",
    });
    await small.close();
  });

  it("takes a file that ends its messages without a mark, or with zeros behind it", async () => {
    const whole = tableToIPC(table, "file");
    const footerEnd = whole.length - 10;
    const footerStart = footerEnd - new DataView(whole.buffer, whole.byteOffset).getInt32(footerEnd, true);
    const [messages, footer] = [whole.subarray(0, footerStart - 8), whole.subarray(footerStart)];
    const vx = await opened();
    for (const between of [
      new Uint8Array(0),
      new Uint8Array(16),
      whole.slice(footerStart - 8, footerStart),
    ]) {
      expect(await vx.appendFromArrow(joined(joined(messages, between), footer))).toEqual({ count: 7 });
    }
    await vx.close();
  });

  it("reads a long batch in turns, in which others run", async () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs++);
    let turns = 0;
    const others = setInterval(() => turns++);
    try {
      const batches = [];
      for await (const batch of readArrow(batchOf(0, 5000), { dimension: DIMENSION })) batches.push(batch);
      expect(batches.map(({ ids, metadata }) => [ids.length, metadata?.lengths.length])).toEqual([
        [5000, 5000],
      ]);
    } finally {
      clearInterval(others);
      clock.mockRestore();
    }
    expect(turns).toBeGreaterThan(2);
  });

  it("reads metadata that is a dictionary of texts as it reads texts", async () => {
    const vx = await opened();
    const [id, vector] = ["id", "vector"].map((name) => batchOf(0, 3).getChild(name));
    const texts = ['{"n":1}', null, '{"n":1}'];
    const metadata = vectorFromArray(texts, new Dictionary(new Utf8(), new Int32()));
    await vx.appendFromArrow(new Table({ id, vector, metadata } as Record<string, Vector>));
    const read = await Promise.all([0, 1, 2].map((row) => vx.get(row)));
    expect(read.map((record) => record?.metadata)).toEqual([{ n: 1 }, {}, { n: 1 }]);
    await vx.close();
  });

  it.each(
    (["stream", "file"] as const).flatMap((format) => [
      { format, what: "offsets of 64 bits, as pandas writes them,", words: new LargeUtf8(), isLarge: true },
      { format, what: "views, as Polars writes them,", words: new Utf8View(), isLarge: false },
    ]),
  )("reads texts and lists with $what of a $format", async ({ format, words, isLarge }) => {
    const vx = await opened();
    const [id, vector] = ["id", "vector"].map((name) => batchOf(0, 3).getChild(name));
    const item = new Field("item", words, true);
    const long = "a text that is too long for its view";
    const columns = {
      id,
      vector,
      metadata: vectorFromArray(['{"n":1}', null, '{"number":[1,2,3]}'], words),
      name: vectorFromArray(["a", null, long], words),
      kind: vectorFromArray(["x", "x", "y"], new Dictionary(words, new Int32())),
      tags: vectorFromArray([["a", long], [], null], isLarge ? new LargeList(item) : new List(item)),
    };
    const table = new Table(columns as Record<string, Vector>);
    expect(await vx.appendFromArrow(tableToIPC(table, format))).toEqual({ count: 3 });
    expect(await vx.appendFromArrow(table.slice(1, 3))).toEqual({ count: 2 });
    const read = await Promise.all([0, 1, 2].map((row) => vx.get(row)));
    expect(read.map((record) => record?.metadata)).toEqual([
      { n: 1, name: "a", kind: "x", tags: ["a", long] },
      { kind: "x", tags: [] },
      { number: [1, 2, 3], name: long, kind: "y" },
    ]);
    await vx.close();
  });

  it("takes a record batch, also one that is a slice of another", async () => {
    const vx = await opened();
    expect(await vx.appendFromArrow(batchOf(10, 20).slice(5, 9))).toEqual({ count: 4 });
    const [nearest] = await vx.search([16, 16, 16, 16], 10);
    expect(nearest).toMatchObject({ id: 16, distance: 0, metadata: { name: "n16" } });
    expect((await vx.list(0, 10)).records.map(({ id }) => id)).toEqual([15, 16, 17, 18]);
    await vx.close();
  });

  it("takes a metadata column of structs or maps as the objects themselves, with other columns beside it", async () => {
    const vx = await opened();
    const [id, vector] = ["id", "vector"].map((name) => batchOf(0, 3).getChild(name));
    const members = [new Field("a", new Int32(), true), new Field("b", new Utf8(), true)];
    const pair = new Struct<{ key: Utf8; value: Int32 }>([
      new Field("key", new Utf8(), false),
      new Field("value", new Int32(), true),
    ]);
    const structs = vectorFromArray([{ a: 1, b: "x" }, { a: 2, b: null }, null], new Struct(members));
    const maps = vectorFromArray([{ a: 1 }, { c: null }, null], new Map_(new Field("entries", pair, false)));
    const n = vectorFromArray([7, null, 9], new Int32());
    for (const [metadata, objects] of [
      [structs, [{ a: 1, b: "x", n: 7 }, { a: 2 }, { n: 9 }]],
      [maps, [{ a: 1, n: 7 }, {}, { n: 9 }]],
    ] as const) {
      await vx.appendFromArrow(new Table({ id, vector, metadata, n } as Record<string, Vector>));
      const read = await Promise.all([0, 1, 2].map((row) => vx.get(row)));
      expect(read.map((record) => record?.metadata)).toEqual(objects);
    }
    expect((await vx.searchWithFilter([0, 0, 0, 0], 3, "n = 9")).map((found) => found.id)).toEqual([2]);
    await vx.close();
  });

  it("keeps the text of a metadata column to the letter, with other columns beside it", async () => {
    const vx = await opened();
    const texts = ['{"a": 1.0}', null, "{}"];
    const columns = tableFromArrays({ id: Int32Array.of(1, 2, 3) });
    const full = columns.assign(
      new Table({
        vector: vectorFromArray(
          [
            [1, 0, 0, 0],
            [2, 0, 0, 0],
            [3, 0, 0, 0],
          ],
          vectorData(new Float32Array(4)).type,
        ),
        metadata: vectorFromArray(texts, new Utf8()),
      }),
    );
    await vx.appendFromArrow(full);
    expect(metadataText((await vx.get(1))?.metadata ?? {})).toBe('{"a": 1.0}');
    expect((await vx.get(2))?.metadata).toEqual({});
    await vx.appendFromArrow(full.assign(new Table({ n: vectorFromArray([7, 8, null], new Int32()) })));
    expect(metadataText((await vx.get(1))?.metadata ?? {})).toBe('{"a": 1.0,"n":7}');
    expect((await vx.get(2))?.metadata).toEqual({ n: 8 });
    expect((await vx.get(3))?.metadata).toEqual({});
    await vx.close();
  });

  it("refuses a text that is no object, also with other columns beside it", async () => {
    const vx = await opened();
    const vector = vectorFromArray([[1, 0, 0, 0]], vectorData(new Float32Array(4)).type);
    for (const text of ['"a":1', "[1]", "1", '{"a":1', '"a":1}']) {
      const metadata = vectorFromArray([text], new Utf8());
      const columns: Record<string, Vector> = { vector, metadata, n: vectorFromArray([7], new Int32()) };
      const table = tableFromArrays({ id: Int32Array.of(1) }).assign(new Table(columns));
      await expect(vx.appendFromArrow(table), text).rejects.toMatchObject({ code: "invalid_request" });
    }
    await vx.close();
  });

  it.each(["stream", "file"] as const)(
    "reads vectors where they lie in the bytes of a %s",
    async (format) => {
      const bytes = tableToIPC(table, format);
      const read: RecordsToAdd[] = [];
      for await (const batch of readArrow(bytes, { dimension: DIMENSION })) read.push(batch);
      expect(read.map(({ vectors, isView }) => isView && vectors.buffer === bytes.buffer)).toEqual([
        true,
        true,
      ]);
    },
  );

  it.each([
    ["that ends", DIMENSION],
    ["that is refused", DIMENSION + 1],
  ])("lets go of the source of a stream %s", async (_, dimension) => {
    const bytes = tableToIPC(table, "stream");
    let isHeld = false;
    async function* source() {
      isHeld = true;
      try {
        for (let at = 0; at < bytes.length; at += 64) yield bytes.subarray(at, at + 64);
      } finally {
        isHeld = false;
      }
    }
    const reading = async () => {
      for await (const batch of readArrow(source(), { dimension }))
        expect(batch.ids.length).toBeGreaterThan(0);
    };
    if (dimension === DIMENSION) await reading();
    else await expect(reading()).rejects.toMatchObject({ code: "dimension_mismatch" });
    expect(isHeld).toBe(false);
  });

  it("refuses columns of one name, of which one would be lost", async () => {
    const vx = await opened();
    const { schema, data } = batchOf(1, 3);
    for (const name of ["id", "name"]) {
      const fields = schema.fields.map((field) => (field.name === "big" ? field.clone({ name }) : field));
      const struct = makeData({
        type: new Struct(fields),
        length: 3,
        nullCount: 0,
        children: data.children as never[],
      });
      const twice = new RecordBatch(new Schema(fields), struct as never);
      await expect(vx.appendFromArrow(twice), name).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(`two columns ${name}`),
      });
    }
    await vx.close();
  });

  it("refuses what is not of the schema, and adds nothing of that batch", async () => {
    const vx = await opened();
    const ids = { id: Int32Array.of(1, 2) };
    const wide = new Table({
      vector: vectorFromArray(
        [
          [1, 2],
          [3, 4],
        ],
        vectorData(new Float32Array(2), 2).type,
      ),
    });
    const doubles = new FixedSizeList(DIMENSION, new Field("item", new Float64(), false));
    const refused: [Table, string][] = [
      [tableFromArrays(ids), "invalid_request"],
      [tableFromArrays({ vector: Float32Array.of(1, 2) }), "invalid_request"],
      [tableFromArrays(ids).assign(wide), "dimension_mismatch"],
      [
        tableFromArrays(ids).assign(
          new Table({
            vector: vectorFromArray(
              [
                [1, 2, 3, 4],
                [1, 2, 3, 4],
              ],
              doubles,
            ),
          }),
        ),
        "invalid_request",
      ],
      [table.assign(new Table({ id: vectorFromArray([1, 2, -3, 4, 5, 6, 7], new Int32()) })), "invalid_id"],
      [table.assign(new Table({ id: vectorFromArray([1, 2, null, 4, 5, 6, 7], new Int32()) })), "invalid_id"],
    ];
    for (const [input, code] of refused) {
      await expect(vx.appendFromArrow(input), code).rejects.toMatchObject({ code });
    }
    expect((await vx.list()).total).toBe(0);
    await vx.close();
  });

  describe("a file whose footer and messages differ, which would be read for ever, is refused", () => {
    function opened() {
      const words = vectorFromArray(["a", "b", "a"], new Dictionary(new Utf8(), new Int32()));
      const bytes = tableToIPC(new Table({ words } as Record<string, Vector>), "file");
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const footerEnd = bytes.length - 10;
      const footerStart = footerEnd - view.getInt32(footerEnd, true);
      const [dictionary, batch] = checkFooter(bytes.subarray(footerStart, footerEnd)) as [Block, Block];
      expect(() => checkFile(bytes)).not.toThrow();
      return { bytes, view, footerStart, footerEnd, dictionary, batch };
    }

    it.each([-1, 8, 1 << 20, -(2 ** 31)])("by a message's length, %s more than it is", (more) => {
      const { bytes, view, batch } = opened();
      const lengthAt = batch.offset + 4;
      view.setInt32(lengthAt, view.getInt32(lengthAt, true) + more, true);
      expect(() => checkFile(bytes)).toThrow(VxError);
    });

    it("by the kind of a message", () => {
      const { bytes, view, footerStart, footerEnd, dictionary, batch } = opened();
      // A block begins with where its message lies, and how long the head of that is.
      for (let at = footerStart; at < footerEnd - 12; at++) {
        if (view.getBigInt64(at, true) !== BigInt(batch.offset)) continue;
        if (view.getInt32(at + 8, true) !== batch.headBytes) continue;
        view.setBigInt64(at, BigInt(dictionary.offset), true);
        view.setInt32(at + 8, dictionary.headBytes, true);
      }
      expect(() => checkFile(bytes)).toThrow(VxError);
    });
  });

  it.each(["stream", "file"] as const)(
    "refuses a broken or changed %s with one kind of error",
    async (format) => {
      const vx = await opened();
      const whole = tableToIPC(table, format);
      const broken = fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.integer({ min: 0, max: whole.length - 9 }).map((length) => whole.slice(0, length)),
        fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
          const bytes = whole.slice();
          bytes[at] = (bytes[at] as number) ^ flip;
          return bytes;
        }),
      );
      await fc.assert(
        fc.asyncProperty(broken, async (bytes) => {
          const outcome = await vx.appendFromArrow(bytes).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(VxError);
          expect(outcome).not.toMatchObject({ code: "internal" });
        }),
        { numRuns: 500 },
      );
      await vx.close();
    },
  );

  it("refuses lengths and offsets that point past what is there", async () => {
    const rows = 3;
    const offset = fc.integer({ min: -2, max: 2 ** 31 - 1 }).map((number) => number);
    const offsets = fc.array(fc.oneof(offset, fc.integer({ min: 0, max: 6 })), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(offsets, fc.integer({ min: 0, max: 2 ** 31 }), async (numbers, childLength) => {
        const child = makeData({ type: new Int32(), length: childLength, data: new Int32Array(6) });
        const item = new Field("item", new Int32(), false);
        const rest = { length: rows, nullCount: 0, child };
        const lists = [
          makeData({ type: new List(item), valueOffsets: Int32Array.from(numbers), ...rest }),
          makeData({ type: new LargeList(item), valueOffsets: BigInt64Array.from(numbers, BigInt), ...rest }),
        ];
        const isSound =
          numbers.length > rows &&
          childLength <= 6 &&
          numbers.slice(0, rows).every((from, i) => from >= 0 && from <= (numbers[i + 1] as number)) &&
          (numbers[rows] as number) <= childLength;
        for (const list of lists) {
          const check = () => checkColumn(list, rows, "tags");
          if (isSound) check();
          else expect(check).toThrow(expect.objectContaining({ code: "invalid_request" }));
        }
      }),
    );
  });

  it("believes views only where each leads to a text that is there, and few of them to a long one", () => {
    const variadicBuffers = [new Uint8Array(40), new Uint8Array(14)];
    const view = fc.record({
      bytes: fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: -1, max: 41 })),
      buffer: fc.integer({ min: -1, max: 2 }),
      offset: fc.integer({ min: -1, max: 30 }),
    });
    const column = (views: { bytes: number; buffer: number; offset: number }[], buffers: Uint8Array[]) =>
      makeData({
        type: new Utf8View(),
        length: views.length,
        nullCount: 0,
        views: new Uint8Array(
          Int32Array.from(views.flatMap(({ bytes, buffer, offset }) => [bytes, 0, buffer, offset])).buffer,
        ),
        variadicBuffers: buffers,
      });
    const invalid = expect.objectContaining({ code: "invalid_request" });
    fc.assert(
      fc.property(fc.array(view, { minLength: 1, maxLength: 3 }), (views) => {
        const isSound = views.every(({ bytes, buffer, offset }) => {
          const text = variadicBuffers[buffer]?.subarray(Math.max(0, offset), offset + bytes);
          return bytes >= 0 && (bytes <= 12 || (offset >= 0 && text?.byteLength === bytes));
        });
        const check = () => checkColumn(column(views, variadicBuffers), views.length, "name");
        if (isSound) check();
        else expect(check).toThrow(invalid);
      }),
    );
    const long = [new Uint8Array(2 ** 20)];
    const leading = (rows: number) =>
      Array.from({ length: rows }, () => ({ bytes: 2 ** 20, buffer: 0, offset: 0 }));
    checkColumn(column(leading(512), long), 512, "name");
    expect(() => checkColumn(column(leading(513), long), 513, "name")).toThrow(invalid);
  });

  it("refuses a message whose buffers have more bytes than it, for any number could lie in the same", async () => {
    const vx = await opened();
    const column = () => vectorFromArray([1, 2], new Float64());
    const bytes = tableToIPC(new Table({ a: column(), b: column() }), "stream");
    await expect(vx.appendFromArrow(bytes)).rejects.toThrow(/no column id/);
    // Offsets and lengths: a's numbers, then no bitmap of b, and its numbers.
    const buffers = new Uint8Array(BigInt64Array.of(0n, 16n, 16n, 0n, 16n, 16n).buffer);
    const at = bytes.findIndex((_, start) => buffers.every((byte, i) => bytes[start + i] === byte));
    new DataView(bytes.buffer, bytes.byteOffset).setBigInt64(at + 24, 8n, true);
    await expect(vx.appendFromArrow(bytes)).rejects.toThrow(/a head is damaged/);
    await vx.close();
  });

  it("looks through a dictionary once, however many columns and batches name it", async () => {
    const vx = await opened();
    const words = vectorFromArray(["a", "b"], new Utf8());
    const [part] = words.data as [Data];
    const looks = vi.fn(() => offsets);
    const offsets = part.valueOffsets;
    Object.defineProperty(part, "valueOffsets", { get: looks });
    const type = new Dictionary(new Utf8(), new Int32());
    const nulls = { length: 3, nullCount: 3, nullBitmap: new Uint8Array(8), data: new Int32Array(3) };
    const column = () => makeVector(makeData({ type, ...nulls, dictionary: words }));
    for (const first of [0, 3]) {
      const [id, vector] = ["id", "vector"].map((name) => batchOf(first, 3).getChild(name));
      const table = new Table({ id, vector, x: column(), y: column() } as Record<string, Vector>);
      await vx.appendFromArrow(table);
    }
    expect(looks).toHaveBeenCalledOnce();
    await vx.close();
  });

  it("describes its columns by vectorSchema, which other readers understand", () => {
    const schema = vectorSchema(DIMENSION);
    expect(schema.fields.map(String)).toEqual([
      "id: Uint64",
      `vector: FixedSizeList[${DIMENSION}]<Float32>`,
      "metadata: Utf8",
    ]);
    const empty = tableFromIPC(tableToIPC(new Table(schema), "stream"));
    expect(empty.schema.fields.map(String)).toEqual(schema.fields.map(String));
    expect(RecordBatchReader.from(tableToIPC(new Table(schema))).open().schema.names).toEqual(schema.names);
  });
});
