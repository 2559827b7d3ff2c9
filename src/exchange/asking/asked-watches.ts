/**
 * The files that are watched at one peer, and the news that come of them. No more at a time than the peer bears: others wait for
 * their turn. Made by asking; each is an asked-watch.
 */
import type { CID } from "multiformats/cid";
import { SharingError } from "../../sharing/errors.ts";
import { MAX_WATCHES_PER_PEER } from "../limits.ts";
import type { HaveMessage, Message, WatchMessage } from "../wire/messages.ts";
import { AskedWatch } from "./asked-watch.ts";

export class AskedWatches {
  readonly #send: (message: Message) => void;
  readonly #watches = new Map<number, AskedWatch>();
  /** Those that the peer is told of when others have ended. */
  readonly #waiting = new Map<AskedWatch, Omit<WatchMessage, "watchId">>();
  #nextId = 0;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  begin(fileId: CID, chunkCount: number): AskedWatch {
    const isWaiting = () => this.#waiting.has(watch);
    const watch: AskedWatch = new AskedWatch(chunkCount, isWaiting, () => this.#leave(watch));
    const { code: codec, multihash } = fileId;
    this.#waiting.set(watch, { type: "watch", chunkCount, codec, digest: multihash.digest });
    this.#beginNext();
    return watch;
  }

  /** @throws SharingError `protocol_error` */
  take(message: HaveMessage): void {
    this.#expect(message.watchId).take(message);
  }

  /** The peer has no more to say. @throws SharingError `protocol_error` */
  end(watchId: number): void {
    this.#expect(watchId).end();
    this.#watches.delete(watchId);
    this.#beginNext();
  }

  endAll(): void {
    for (const watch of [...this.#watches.values(), ...this.#waiting.keys()]) watch.end();
    this.#watches.clear();
    this.#waiting.clear();
  }

  #beginNext(): void {
    for (const [watch, message] of this.#waiting) {
      if (this.#watches.size >= MAX_WATCHES_PER_PEER) return;
      const watchId = this.#nextId;
      this.#nextId += 1;
      this.#waiting.delete(watch);
      this.#watches.set(watchId, watch);
      this.#send({ ...message, watchId });
    }
  }

  /** Nobody reads its news any more. */
  #leave(watch: AskedWatch): void {
    if (this.#waiting.delete(watch)) return;
    for (const [watchId, other] of this.#watches)
      if (other === watch) this.#send({ type: "unwatch", watchId });
  }

  #expect(watchId: number): AskedWatch {
    const watch = this.#watches.get(watchId);
    if (watch === undefined) throw new SharingError("protocol_error", "news that nobody asked for");
    return watch;
  }
}
