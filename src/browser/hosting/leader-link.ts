/**
 * A tab's way to the tab that leads: a port that the service worker hands over, else a pipe that the leader is knocked
 * at with. Used by page-fetch in tabs that do not lead. One port serves all requests, until it ends.
 */
import { type Asker, askOver, endFormer } from "../../bridge/asking.ts";
import { BroadcastPipe } from "../../bridge/broadcast-pipe.ts";
import { openOriginChannel } from "../../bridge/origin-channel.ts";
import { readToAll, TABS_CHANNEL, type ToAll, type ToWorker } from "../../bridge/tab-messages.ts";
import { randomName } from "./random-name.ts";

export class LeaderLink {
  readonly #worker: () => ServiceWorker | undefined;
  readonly #tabs = openOriginChannel(TABS_CHANNEL);
  #asker: Promise<Asker> | undefined;
  /** While nobody has answered: ends the knock. */
  #unanswered: AbortController | undefined;

  /** `worker` gives the active service worker, whether or not it controls the page. */
  constructor(worker: () => ServiceWorker | undefined) {
    this.#worker = worker;
    this.onNewLeader((leader) => {
      // Who leads only now has not heard the knock, and is not silent.
      if (this.#unanswered !== undefined) this.#asker = undefined;
      this.#unanswered?.abort();
      // Where no event tells that the former leader is gone, its successor does.
      this.#asker?.then(
        (asker) => endFormer(asker, leader),
        () => undefined,
      );
    });
  }

  /** @throws BridgeError when no tab leads, or the one that does answers nothing */
  open(): Promise<Asker> {
    if (this.#asker !== undefined) return this.#asker;
    const unanswered = new AbortController();
    const opened = this.#knock(unanswered.signal).finally(() => {
      if (this.#unanswered === unanswered) this.#unanswered = undefined;
    });
    const forget = () => {
      if (this.#asker === opened) this.#asker = undefined;
    };
    opened.then((asker) => asker.ended.then(forget), forget);
    this.#unanswered = unanswered;
    this.#asker = opened;
    return opened;
  }

  /** Calls `listener` each time a tab says that it leads from now on, with its name. */
  onNewLeader(listener: (leader: string) => void): () => void {
    const heard = ({ data }: MessageEvent) => {
      const message = readToAll(data);
      if (message?.type === "leads") listener(message.leader);
    };
    this.#tabs.addEventListener("message", heard);
    return () => this.#tabs.removeEventListener("message", heard);
  }

  #knock(over: AbortSignal): Promise<Asker> {
    const worker = this.#worker();
    if (worker !== undefined) {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ type: "find-leader" } satisfies ToWorker, [port2]);
      return askOver(port1, over);
    }
    const pipe = `shoal-pipe-${randomName()}`;
    const asker = askOver(new BroadcastPipe(pipe, "opens"), over);
    this.#tabs.postMessage({ type: "knock", pipe } satisfies ToAll);
    return asker;
  }
}
