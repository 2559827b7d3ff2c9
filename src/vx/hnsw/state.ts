/**
 * A graph's state for snapshots, written by HnswGraph.exportState and read by HnswGraph.open; storage puts it in
 * files. It is the header, then the parts in the order given, all little-endian. What follows from them (int8
 * rows, norms, the id map) is not in it and is made at opening. Equal operations give equal bytes.
 *
 * | header offset | type | content |
 * |---|---|---|
 * | 0 | 4 bytes | `VXHG` |
 * | 4 | u32 | version, 1 |
 * | 8 | u32 | dimension |
 * | 12 | u32 | metric: 0 cosine, 1 L2 |
 * | 16 | u32 | m |
 * | 20 | u32 | slots |
 * | 24 | u32 | entry point, a slot; here and below 2^32 - 1 for none |
 * | 28 | u32 | first free slot |
 * | 32 | u32 | slot that the sweep has come to |
 * | 36 | u32 | bytes of the part `uppers` |
 * | 40 | 24 bytes | 0 |
 *
 * | part | bytes a slot | content |
 * |---|---|---|
 * | states | 1 | 0 free, 1 live, 2 dead, 3 dead and being swept |
 * | ids | 8 | u64 |
 * | links | 8m | u32 slots of level 0, ended by 2^32 - 1 or full; of a free slot the next free one |
 * | vectors | 4 * dimension, padded to 16 | f32 as given, 0 in the padding |
 * | uppers | | by slot, for those above level 0: u32 slot, u32 level, then m u32 slots a level from 1 up |
 */
import { VxError } from "../errors.ts";
import type { GraphOptions } from "./graph.ts";
import type { Arena, GraphFacts, Kernel } from "./kernel.ts";
import { MAX_DIMENSION, MAX_M, MIN_M } from "./limits.ts";

const MAGIC = 0x47485856;
const VERSION = 1;
const HEADER_BYTES = 64;

export type StatePartName = "states" | Arena | "uppers";

export interface StatePart {
  name: StatePartName;
  byteLength: number;
  /** The part's bytes in order. Each view is to be used before the next await: it may lie in growing memory. */
  chunks(): Iterable<Uint8Array>;
}

/** The state as it was when exported, whatever is written to the graph meanwhile, until it is released. */
export interface GraphState {
  header: Uint8Array;
  parts: StatePart[];
  /** Must be called: until then no slot is used again. */
  release(): void;
}

/** Fills `into` with a part's bytes from `offset` on. Asked for the parts in order, each from start to end. */
export type StateReader = (part: StatePartName, offset: number, into: Uint8Array) => void | Promise<void>;

type Shape = Pick<Required<GraphOptions>, "dimension" | "metric" | "m">;

export interface StateHeader {
  shape: Shape;
  facts: GraphFacts;
  slots: number;
  uppersBytes: number;
}

/**
 * Vectors are not copied, for a slot in use keeps its vector while the kernel is pinned; what changes with every
 * insertion is (140 bytes a slot at m = 16: 40 ms for a million).
 */
export function exportState(kernel: Kernel, shape: Shape): GraphState {
  const slots = kernel.slotLimit;
  const uppers = kernel.packedUppers().slice();
  const header = writeHeader({ shape, facts: kernel.facts, slots, uppersBytes: uppers.byteLength });
  const part = (name: StatePartName, chunks: Uint8Array[]): StatePart => ({
    name,
    byteLength: chunks.reduce((total, chunk) => total + chunk.byteLength, 0),
    chunks: () => chunks,
  });
  const copied = (arena: Arena) =>
    part(
      arena,
      Array.from(kernel.arena(arena, slots), (bytes) => bytes.slice()),
    );
  const parts: StatePart[] = [
    part("states", [kernel.states().slice()]),
    copied("ids"),
    copied("links"),
    {
      name: "vectors",
      byteLength: slots * kernel.bytesASlot("vectors"),
      chunks: () => kernel.arena("vectors", slots),
    },
    part("uppers", [uppers]),
  ];
  return { header, parts, release: kernel.pin() };
}

/** Fills a new kernel of the header's shape. @throws VxError `backup_corrupt`, `capacity_exceeded` */
export async function fillState(kernel: Kernel, header: StateHeader, read: StateReader): Promise<void> {
  const uppers = kernel.openState(header.slots, header.uppersBytes);
  const fill = async (name: StatePartName, chunks: Iterable<Uint8Array>) => {
    let offset = 0;
    for (const chunk of chunks) {
      await read(name, offset, chunk);
      offset += chunk.byteLength;
    }
  };
  await fill("states", [kernel.states()]);
  for (const arena of ["ids", "links", "vectors"] as const)
    await fill(arena, kernel.arena(arena, header.slots));
  await fill("uppers", [uppers]);
  if (!kernel.finishState(header.uppersBytes, header.facts))
    throw damaged("its links or vectors are not sound");
}

function writeHeader({ shape, facts, slots, uppersBytes }: StateHeader): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  const metric = shape.metric === "cosine" ? 0 : 1;
  const words = [MAGIC, VERSION, shape.dimension, metric, shape.m, slots];
  words.push(facts.entrySlot, facts.freeSlot, facts.sweepSlot, uppersBytes);
  for (const [i, word] of words.entries()) view.setUint32(i * 4, word, true);
  return header;
}

/** @throws VxError `backup_corrupt` */
export function readHeader(header: Uint8Array): StateHeader {
  if (header.byteLength !== HEADER_BYTES) throw damaged(`its header has ${header.byteLength} bytes`);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const word = (offset: number) => view.getUint32(offset, true);
  if (word(0) !== MAGIC) throw damaged("it is not one");
  if (word(4) !== VERSION) throw damaged(`its version is ${word(4)}, this program reads ${VERSION}`);
  const [dimension, metric, m] = [word(8), word(12), word(16)];
  if (dimension < 1 || dimension > MAX_DIMENSION || metric > 1 || m < MIN_M || m > MAX_M) {
    throw damaged("its header is out of range");
  }
  return {
    shape: { dimension, metric: metric === 0 ? "cosine" : "l2", m },
    facts: { entrySlot: word(24), freeSlot: word(28), sweepSlot: word(32) },
    slots: word(20),
    uppersBytes: word(36),
  };
}

function damaged(what: string): VxError {
  return new VxError("backup_corrupt", `The stored graph cannot be opened: ${what}`);
}
