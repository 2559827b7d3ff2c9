/** The files that are watched at one peer, and the news that come of them. Made by asking; each is an asked-watch. */
import type { CID } from "multiformats/cid";
import { SharingError } from "../sharing/errors.ts";
import { AskedWatch } from "./asked-watch.ts";
import { MAX_WATCHES_PER_PEER } from "./limits.ts";
import type { HaveMessage, Message } from "./messages.ts";

export class AskedWatches {
  readonly #send: (message: Message) => void;
  readonly #watches = new Map<number, AskedWatch>();
  #nextId = 0;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** @throws SharingError `wrong_state` (too many) */
  begin(fileId: CID, chunkCount: number): AskedWatch {
    if (this.#watches.size >= MAX_WATCHES_PER_PEER) {
      throw new SharingError("wrong_state", "too many files are watched at this peer");
    }
    const watchId = this.#nextId;
    this.#nextId += 1;
    const watch = new AskedWatch(chunkCount, () => this.#send({ type: "unwatch", watchId }));
    this.#watches.set(watchId, watch);
    const { code: codec, multihash } = fileId;
    this.#send({ type: "watch", watchId, chunkCount, codec, digest: multihash.digest });
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
  }

  endAll(): void {
    for (const watch of this.#watches.values()) watch.end();
    this.#watches.clear();
  }

  #expect(watchId: number): AskedWatch {
    const watch = this.#watches.get(watchId);
    if (watch === undefined) throw new SharingError("protocol_error", "news that nobody asked for");
    return watch;
  }
}
