/**
 * The chunks of one download, from when its manifest is known: which are held, which of them storage lost again, who
 * brought them, and their copy in the output. Made by the transfer, whose loop alone changes it; calls picker and
 * output-copy.
 */
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { SHORT_CHUNKS } from "../limits.ts";
import type { BlockStore, FileOutput } from "../ports.ts";
import { UNKNOWN_SOURCE } from "../transfers/chunk-map.ts";
import type { TurnKind } from "../transfers/turns.ts";
import type { ActivePeer } from "./active-peer.ts";
import { OutputCopy } from "./output-copy.ts";
import { Picker, type Strategy } from "./picker.ts";

export interface TransferChunksOptions {
  strategy: Strategy;
  output: FileOutput | undefined;
  /** Chunks counted by peer, in the order in which they brought their first. */
  chunksByPeer: Map<string, number>;
}

export class TransferChunks {
  readonly entry: CatalogEntry;
  readonly picker: Picker;
  readonly copy: OutputCopy | undefined;
  /** Who brought each chunk, by its place in `chunksByPeer`; UNKNOWN_SOURCE for who is not of this run. */
  readonly sources: Uint8Array;
  readonly #chunksByPeer: Map<string, number>;
  /** Of the holding's, those that the picker knows of. */
  #knownLossCount: number;

  constructor(
    entry: CatalogEntry,
    blocks: BlockStore,
    { strategy, output, chunksByPeer }: TransferChunksOptions,
  ) {
    const { chunkCount } = entry.manifest;
    this.entry = entry;
    this.sources = new Uint8Array(chunkCount).fill(UNKNOWN_SOURCE);
    this.#chunksByPeer = chunksByPeer;
    this.#knownLossCount = entry.holding.lossCount;
    this.picker = new Picker(chunkCount, strategy, Math.random);
    for (let index = 0; index < chunkCount; index++) if (entry.holding.has(index)) this.picker.held(index);
    this.picker.want(entry.demand.spans());
    this.copy = output && new OutputCopy(output, entry, blocks);
  }

  /** May the peer be asked for chunks? A file waits for its turn there, but not when somebody reads it. */
  hasTurn({ id, turns }: ActivePeer): boolean {
    if (this.#needsNoTurn || this.entry.demand.isThere) return true;
    const turn = turns[this.turnKind];
    return turn.isOurs || (this.picker.offers(id) && turn.take());
  }

  /** Where no turn is needed any more, or none is used, another file may have it. */
  leaveTurns({ turns, isAsked }: ActivePeer): void {
    const turn = turns[this.turnKind];
    // A short file keeps it until what it has asked for has come.
    const isOver = this.#needsNoTurn && !(this.#isShort && turn.isOurs);
    if (isOver || (turn.isOurs && !isAsked)) turn.leave();
    turns.manifest.leave();
  }

  /** Among which files it takes its turns. */
  get turnKind(): TurnKind {
    return this.#isShort ? "short" : "long";
  }

  /** Places in the file of what was fetched for one of them. */
  placesOf(index: number): number[] {
    const { manifest } = this.entry;
    return manifest.indexesOf(manifest.chunkCid(index));
  }

  /** A chunk of this file is owed to the peer. */
  credit(index: number, peerId: string): void {
    const chunksByPeer = this.#chunksByPeer;
    chunksByPeer.set(peerId, (chunksByPeer.get(peerId) ?? 0) + 1);
    this.sources[index] = Math.min([...chunksByPeer.keys()].indexOf(peerId), UNKNOWN_SOURCE);
  }

  get #isShort(): boolean {
    return this.entry.manifest.chunkCount <= SHORT_CHUNKS;
  }

  /** All that is missing is asked for, or of a long file nearly all. */
  get #needsNoTurn(): boolean {
    return this.picker.missingCount <= (this.#isShort ? 0 : SHORT_CHUNKS);
  }

  /** Chunks that storage has lost since they came are missing again. */
  findLost(): void {
    const { holding, manifest } = this.entry;
    if (holding.lossCount === this.#knownLossCount) return;
    this.#knownLossCount = holding.lossCount;
    for (let index = 0; index < manifest.chunkCount; index++) {
      if (this.picker.isHeld(index) && !holding.has(index)) this.picker.lost(index);
    }
  }

  /** All that is known to be missing has come, and what else storage has lost is being looked for. */
  get mayLackMore(): boolean {
    return this.entry.holding.isComplete && this.entry.mayLackMore;
  }

  /** Is every chunk held, and written to the output? One that turns out damaged is missing again. */
  async areWhole(signal: AbortSignal): Promise<boolean> {
    if (!this.#areHeld) return false;
    const damaged = (await this.copy?.copyRest(signal)) ?? [];
    for (const index of damaged) {
      this.entry.holding.unmark(index);
      this.picker.lost(index);
    }
    // That took its time, in which others may have been found lost.
    return this.#areHeld;
  }

  get #areHeld(): boolean {
    return this.entry.holding.isComplete && !this.entry.mayLackMore;
  }
}
