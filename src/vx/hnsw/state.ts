/**
 * A graph's state for snapshots, written by HnswGraph.exportState and read by HnswGraph.open; storage puts it in
 * files. It is the header, then the parts in the order given, all little-endian. What follows from them (int8
 * rows, norms, the id map) is not in it and is made at opening. Equal operations by one thread give equal bytes; where
 * several link, the links come as the threads met.
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
import { joinedBytes } from "../joined-bytes.ts";
import type { GraphOptions } from "./graph.ts";
import type { GraphFacts, Kernel } from "./kernel.ts";
import type { Arena } from "./kernel-memory.ts";
import { MAX_DIMENSION, MAX_M, MIN_M } from "./limits.ts";

const MAGIC = 0x47485856;
const VERSION = 1;
const HEADER_BYTES = 64;

/** Ends a list that is not full. */
const NONE = 0xffffffff;

/** States of slots, see assembly/slots. */
const CONDEMNED = 3;
const SWEPT = 4;

export type StatePartName = "states" | Arena | "uppers";

export interface StatePart {
  name: StatePartName;
  byteLength: number;
  /** Copies the part's bytes from `offset` on. */
  read(offset: number, into: Uint8Array): void;
}

/**
 * The graph as it was when exported, whatever is written to it meanwhile, until it is released: the same slots with
 * the same ids and vectors. Links are those of the moment when they are read, but for links to later slots.
 */
export interface GraphState {
  header: Uint8Array;
  parts: StatePart[];
  /** Must be called: until then no slot is used again. */
  release(): void;
}

/**
 * Fills places with all of a part's bytes, one place after the other, and may tell meanwhile how many bytes from the start on
 * are there: what `ready` throws ends the reading. When it settles, it writes nowhere any more. Asked for all parts at a time.
 */
export type StateReader = (
  part: StatePartName,
  places: Uint8Array[],
  ready: (bytes: number) => void,
  room?: ReadingRoom,
) => void | Promise<void>;

/** Of the memory that the places lie in, a part that is the reader's own: to check what it has read where it lies. */
export interface ReadingRoom {
  memory: WebAssembly.Memory;
  address: number;
  byteLength: number;
}

type Shape = Pick<Required<GraphOptions>, "dimension" | "metric" | "m">;

export interface StateHeader {
  shape: Shape;
  facts: GraphFacts;
  slots: number;
  uppersBytes: number;
}

/**
 * Nothing large is copied, so that no search waits: a slot in use keeps its vector and id while the kernel is pinned, and
 * links of a later moment are links of the same graph.
 */
export function exportState(kernel: Kernel, shape: Shape): GraphState {
  const slots = kernel.slotLimit;
  const uppers = joinedBytes(Array.from(kernel.packedUppers(), (some) => some.slice()));
  const header = writeHeader({ shape, facts: kernel.facts, slots, uppersBytes: uppers.byteLength });
  const held = (name: StatePartName, bytes: Uint8Array): StatePart => ({
    name,
    byteLength: bytes.byteLength,
    read: (offset, into) => into.set(bytes.subarray(offset, offset + into.byteLength)),
  });
  const arena = (name: Arena, read: StatePart["read"]): StatePart => {
    return { name, byteLength: slots * kernel.memory.bytesASlot(name), read };
  };
  const parts: StatePart[] = [
    stored(held("states", kernel.memory.states().slice())),
    arena("ids", (offset, into) => kernel.memory.readArena("ids", offset, into)),
    arena("links", (offset, into) => readLinks(kernel, slots, offset, into)),
    arena("vectors", (offset, into) => kernel.memory.readArena("vectors", offset, into)),
    held("uppers", uppers),
  ];
  return { header, parts, release: kernel.pin() };
}

/** Of slots that were swept already, whoever loads them sweeps again. */
function stored({ name, byteLength, read }: StatePart): StatePart {
  const swept = (offset: number, into: Uint8Array) => {
    read(offset, into);
    for (let i = into.indexOf(SWEPT); i >= 0; i = into.indexOf(SWEPT, i + 1)) into[i] = CONDEMNED;
  };
  return { name, byteLength, read: swept };
}

/** Links among the first slots alone; the lists that the bytes lie in are read whole. */
function readLinks(kernel: Kernel, slots: number, offset: number, into: Uint8Array): void {
  if (kernel.slotLimit === slots) {
    kernel.memory.readArena("links", offset, into);
    return;
  }
  const listBytes = kernel.memory.bytesASlot("links");
  const start = Math.floor(offset / listBytes) * listBytes;
  const end = Math.ceil((offset + into.byteLength) / listBytes) * listBytes;
  const links = new Uint32Array((end - start) / 4);
  const bytes = new Uint8Array(links.buffer);
  kernel.memory.readArena("links", start, bytes);
  const length = listBytes / 4;
  for (let list = 0; list < links.length; list += length) {
    let kept = list;
    for (let at = list; at < list + length && links[at] !== NONE; at++) {
      const target = links[at] as number;
      if (target < slots) links[kept++] = target;
    }
    links.fill(NONE, kept, list + length);
  }
  into.set(bytes.subarray(offset - start, offset - start + into.byteLength));
}

/** Fills a new kernel of the header's shape. @throws VxError `backup_corrupt`, `capacity_exceeded` */
export async function fillState(kernel: Kernel, header: StateHeader, read: StateReader): Promise<void> {
  kernel.openState(header.slots, header.uppersBytes);
  const room = kernel.openReadingRoom();
  const uppers = kernel.memory.uppers(header.uppersBytes);
  const whole = async (part: StatePartName, place: Uint8Array) => read(part, [place], () => undefined, room);
  let areStatesTaken = false;
  const states = whole("states", kernel.memory.states()).then(() => {
    if (!kernel.takeStates()) throw damaged("its states are none");
    areStatesTaken = true;
  });
  /** Slots are taken as they come, while the next ones are read: they have not left the processor's caches. */
  const arena = async (name: Arena) => {
    const slotBytes = kernel.memory.bytesASlot(name);
    let first = 0;
    const take = (bytes: number) => {
      if (!areStatesTaken) return;
      const end = Math.floor(bytes / slotBytes);
      if (!kernel.takePart(name, first, end)) throw damaged(`its ${name} are not sound`);
      first = end;
    };
    await read(name, kernel.memory.arena(name), take, room);
    await states;
    take(kernel.slotLimit * slotBytes);
  };
  const filled = [states, arena("ids"), arena("links"), arena("vectors"), whole("uppers", uppers)];
  // All end before this does: nothing may be read into the memory of a graph that was given up.
  for (const part of await Promise.allSettled(filled)) if (part.status === "rejected") throw part.reason;
  if (!kernel.finishState(header.uppersBytes, header.facts)) throw damaged("its links are not sound");
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
