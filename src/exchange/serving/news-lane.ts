/**
 * What one peer is told of the files that it watches, in its turn: news count toward the upload rate as blocks do, since a watch
 * of a few bytes may bring a field of many. A lane of its own, so that a peer that waits for its next block still hears of
 * what it could ask for. Made by serving.
 */
import { Uint8ArrayList } from "uint8arraylist";
import type { FairShare, Lane } from "../rates/fair-share.ts";
import type { Outlet } from "./outlet.ts";
import type { ServedWatches } from "./served-watches.ts";

export class NewsLane implements Lane {
  readonly isShort = true;
  readonly host: string;
  readonly #share: FairShare;
  readonly #outlet: Outlet;
  readonly #watches: ServedWatches;

  constructor(host: string, share: FairShare, outlet: Outlet, watches: ServedWatches) {
    this.host = host;
    this.#share = share;
    this.#outlet = outlet;
    this.#watches = watches;
  }

  /** There may be news, or room for them. */
  wake(): void {
    if (this.#watches.haveNews && this.#outlet.isWritable) this.#share.wake(this);
  }

  takeTurn(turnBytes: number): number {
    const frames = this.#outlet.isWritable ? this.#watches.takeFrames(turnBytes) : [];
    if (frames.length === 0) return 0;
    const message = new Uint8ArrayList(...frames);
    this.#outlet.send(message);
    return message.length;
  }
}
