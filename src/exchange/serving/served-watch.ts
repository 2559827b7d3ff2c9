/** One peer's watch of one file here: follows what the source tells, and gives it as frames when the wire has room. */
import type { HaveUpdate } from "../../sharing/ports.ts";
import { HaveState } from "../have-state.ts";
import { FIELD_PIECE_BYTES } from "../limits.ts";
import { type ChunkRun, encodeMessage } from "../wire/messages.ts";

export interface WatchedFile {
  watchId: number;
  fileId: string;
  chunkCount: number;
}

export class ServedWatch {
  readonly watchId: number;
  readonly fileId: string;
  readonly #state: HaveState;
  readonly #onNews: () => void;
  readonly #stopping = new AbortController();
  #isOver = false;
  /** True once `takeFrames` gave the last frame. */
  hasEnded = false;

  constructor({ watchId, fileId, chunkCount }: WatchedFile, onNews: () => void) {
    this.watchId = watchId;
    this.fileId = fileId;
    this.#state = new HaveState(chunkCount);
    this.#onNews = onNews;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  async follow(updates: AsyncIterable<HaveUpdate>): Promise<void> {
    try {
      for await (const update of updates) {
        if (this.signal.aborted) return;
        this.#state.apply(update);
        this.#onNews();
      }
    } finally {
      this.#isOver = true;
      this.#onNews();
    }
  }

  stop(): void {
    this.#stopping.abort();
    this.#isOver = true;
    this.#onNews();
  }

  takeFrames(): Uint8Array[] {
    const { watchId } = this;
    const update = this.#state.take();
    const frames = update === undefined ? [] : encodeUpdate(watchId, update);
    if (this.#isOver) {
      this.hasEnded = true;
      frames.push(encodeMessage({ type: "watch_end", watchId }));
    }
    return frames;
  }
}

function encodeUpdate(watchId: number, update: HaveUpdate): Uint8Array[] {
  switch (update.kind) {
    case "all":
      return [encodeMessage({ type: "have_all", watchId })];
    case "none":
      return [encodeMessage({ type: "have_none", watchId })];
    case "have":
      return [encodeMessage({ type: "have_runs", watchId, runs: runsOf(update.indexes) })];
    case "bitfield": {
      const frames: Uint8Array[] = [];
      for (let offsetBytes = 0; offsetBytes < update.bits.length; offsetBytes += FIELD_PIECE_BYTES) {
        const bits = update.bits.subarray(offsetBytes, offsetBytes + FIELD_PIECE_BYTES);
        frames.push(encodeMessage({ type: "have_field", watchId, offsetBytes, bits }));
      }
      return frames;
    }
  }
}

function runsOf(indexes: number[]): ChunkRun[] {
  const runs: ChunkRun[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.count === index) last.count += 1;
    else runs.push({ start: index, count: 1 });
  }
  return runs;
}
