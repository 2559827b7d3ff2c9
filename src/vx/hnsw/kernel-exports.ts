/** What assembly/kernel.ts exports, and instances of it. Called by the host side of the kernel. */
import { kernelBase64 } from "./build/kernel-wasm.ts";
import { compiled } from "./wasm-module.ts";

/** Addresses and slots come as i32: `>>> 0` makes them what they are. */
export interface KernelExports {
  memory: WebAssembly.Memory;
  create(
    dimension: number,
    cosine: boolean,
    m: number,
    efConstruction: number,
    most: number,
    quantized: boolean,
    memoryBytes: number,
  ): number;
  add(id: bigint): number;
  remove(id: bigint): number;
  stage(id: bigint): number;
  dropStaged(): void;
  foresee(k: number, ef: number, queries: number): void;
  openBoard(helpers: number, regionBytes: number): number;
  helperRegion(index: number): number;
  regionFor(bytes: number): number;
  regionBytes(dimension: number, m: number, efConstruction: number): number;
  beginRound(): number;
  linkStaged(): number;
  stopRound(): void;
  linkLeft(): number;
  endRound(): number;
  openReaderBoard(): number;
  publish(): void;
  makeRoom(count: number): number;
  slotOfId(id: bigint): number;
  search(k: number, ef: number, filtered: boolean): number;
  searchAmong(k: number, ef: number): number;
  scansAll(ef: number): number;
  ask(index: number, queries: number): number;
  searchNegatives(k: number, ef: number, queries: number): number;
  searchNegativesAmong(k: number, ef: number, queries: number): number;
  distanceTo(slot: number): number;
  inputAddress(): number;
  filterAddress(): number;
  resultsAddress(): number;
  vectorAddress(slot: number): number;
  arenaAddress(arena: number, segment: number): number;
  statesAddress(): number;
  liveAddress(): number;
  packedAddress(): number;
  uppersAddress(): number;
  slotsOfSegment(): number;
  openState(slots: number, uppersBytes: number): number;
  takeStates(): number;
  takePart(arena: number, first: number, end: number): number;
  finishState(uppersBytes: number, entry: number, free: number, cursor: number): number;
  packUppers(first: number): number;
  packedTo(): number;
  hold(held: boolean, pinned: boolean): void;
  entrySlot(): number;
  freeSlot(): number;
  sweepSlot(): number;
  count(): number;
  slots(): number;
  usedBytes(): number;
}

export function ownInstance(): KernelExports {
  return new WebAssembly.Instance(compiled(kernelBase64), {}).exports as unknown as KernelExports;
}

/** On memory that other threads can be given; the module is the kernel compiled for several threads. */
export function sharedInstance(module: WebAssembly.Module): KernelExports {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as KernelExports;
}
