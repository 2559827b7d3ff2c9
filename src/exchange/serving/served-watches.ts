/** The files that one peer watches here, and what is to be told of them. Made by serving; each is a served-watch. */
import { SharingError } from "../../sharing/errors.ts";
import type { HaveUpdate } from "../../sharing/ports.ts";
import { MAX_CONTROL_BYTES, MAX_WATCHES_PER_PEER, SMALL_SEND_BYTES } from "../limits.ts";
import { ServedWatch, type WatchedFile } from "./served-watch.ts";

export class ServedWatches {
  readonly #onNews: () => void;
  readonly #watches = new Map<number, ServedWatch>();
  /** Those that have something to tell, the longest ago first. */
  readonly #withNews = new Set<ServedWatch>();
  /** Of the watch whose turn it was, and not given yet. */
  #frames: Uint8Array[] = [];
  #lastId = -1;

  /** `onNews`: there are frames to send. */
  constructor(onNews: () => void) {
    this.#onNews = onNews;
  }

  get size(): number {
    return this.#watches.size;
  }

  get haveNews(): boolean {
    return this.#withNews.size > 0 || this.#frames.length > 0;
  }

  /**
   * In place of one of the same file: all of many would be told of each chunk. Settles when nothing more comes of `haves`, and
   * rejects with what they fail with.
   * @throws SharingError `protocol_error`
   */
  begin(file: WatchedFile, haves: (signal: AbortSignal) => AsyncIterable<HaveUpdate>): Promise<void> {
    const { watchId, fileId } = file;
    if (watchId <= this.#lastId) throw new SharingError("protocol_error", "watch id used before");
    this.#lastId = watchId;
    if (this.size >= MAX_WATCHES_PER_PEER) throw new SharingError("protocol_error", "too many watches");
    for (const other of this.#watches.values()) if (other.fileId === fileId) other.stop();
    const watch: ServedWatch = new ServedWatch(file, () => {
      if (watch.hasEnded) return;
      this.#withNews.add(watch);
      this.#onNews();
    });
    this.#watches.set(watchId, watch);
    return watch.follow(haves(watch.signal));
  }

  /** @throws SharingError `protocol_error` */
  end(watchId: number): void {
    if (watchId > this.#lastId) throw new SharingError("protocol_error", "unwatched too early");
    this.#watches.get(watchId)?.stop();
  }

  stop(): void {
    for (const watch of this.#watches.values()) watch.stop();
  }

  /**
   * What is news now, for sending at once: about so much, and no more than one message carries anywhere. Those that have ended
   * are forgotten with it.
   */
  takeFrames(turnBytes: number): Uint8Array[] {
    const taken: Uint8Array[] = [];
    const mostBytes = Math.min(turnBytes, SMALL_SEND_BYTES - MAX_CONTROL_BYTES);
    for (let takenBytes = 0; takenBytes < mostBytes; ) {
      if (this.#frames.length === 0) this.#frames = this.#takeNext();
      const frame = this.#frames.shift();
      if (frame === undefined) break;
      taken.push(frame);
      takenBytes += frame.length;
    }
    return taken;
  }

  #takeNext(): Uint8Array[] {
    for (const watch of this.#withNews) {
      this.#withNews.delete(watch);
      const frames = watch.takeFrames();
      if (watch.hasEnded) this.#watches.delete(watch.watchId);
      if (frames.length > 0) return frames;
    }
    return [];
  }
}
