/**
 * Which tab hosts the node. All tabs ask for one Web Lock; the tab that holds it leads: it starts the node and serves
 * the others' requests. Used by main; calls leader-doors. The lock goes back, and another tab takes over, when the tab
 * closes or crashes, when it is put away (back/forward cache, frozen), and when its node does not start. A leader that
 * holds the lock and answers nothing has it taken away by a tab that is looked at; so has one of a former version, once
 * nothing is under way there, by a tab of the present one. Source: Web Locks API; Page Lifecycle.
 */
import type { ApiClient } from "../../api/ports.ts";
import { BridgeError } from "../../bridge/bridge-error.ts";
import { OFFER_LEAD_EVERY_MS, START_ANEW_LOOK_MS } from "../limits.ts";
import { WatchedValue } from "../watched-value.ts";
import { LeaderDoors } from "./leader-doors.ts";
import { randomName } from "./random-name.ts";

export interface HostedNode {
  answer(request: Request, client: ApiClient): Promise<Response>;
  /** Whether files are on their way, which would be cut short; asked from time to time. */
  isBusy(): boolean;
  /**
   * Ends the node. It may be the last to run before the page is frozen, so whatever is held exclusively (workers, OPFS
   * handles) is let go before the first await. `isFollowed`: another tab may lead from now on, so that nothing is written any
   * more.
   */
  stop(isFollowed: boolean): Promise<void>;
}

export type LeaderState =
  /** Another tab leads, or is about to be asked whether it does. */
  | { name: "waiting" }
  /** This tab leads, and its node starts. */
  | { name: "starting" }
  | { name: "leading" }
  /** This tab's node did not start; another tab may lead. */
  | { name: "failed"; error: unknown }
  /** This tab is put away. */
  | { name: "resting" };

export interface Leadership {
  readonly state: Pick<WatchedValue<LeaderState>, "value" | "subscribe">;
  /** This tab's node answers; waits while it starts. @throws BridgeError `not_leading`, `start_failed` */
  answer(request: Request, client: ApiClient): Promise<Response>;
  /** Stands again after a failed start. */
  retry(): void;
  /** Says to all tabs that the leader answers nothing; one that is looked at takes over. */
  reportSilence(): void;
  /** A newer version is there: a tab of it may take over, when nothing is under way here. */
  yieldToNewer(): void;
  /** Ends this tab's node once nothing is under way there, for one that knows more; another tab may lead then. */
  startAnew(): void;
}

const LOCK = "shoal-node";
/** Held while the lock is taken away, so that of several tabs one does. */
const TAKEOVER_LOCK = "shoal-node-takeover";

/** One time of holding the lock. */
interface Term {
  node: Promise<HostedNode>;
  /** Once the node runs. */
  running: HostedNode | undefined;
  /** Aborts when it is over, for a node that starts. */
  ending: AbortController;
  /** Gives the lock back. */
  release(): void;
}

/**
 * Starts the node. Once the signal aborts another tab may lead: what is held exclusively is let go before the first
 * await, nothing is opened or written any more, and the start fails.
 */
type Lead = (signal: AbortSignal) => Promise<HostedNode>;

/** @param lead called each time this tab gets to lead */
export function standForLeader(lead: Lead): Leadership {
  return new Candidate(lead);
}

class Candidate implements Leadership {
  readonly state = new WatchedValue<LeaderState>({ name: "waiting" });
  readonly #lead: Lead;
  readonly #doors: LeaderDoors;
  readonly #name = randomName();
  #term: Term | undefined;
  /** Ends the wait for the lock. */
  #queue = new AbortController();
  /** Of a former version: the timer by which it offers the lead. */
  #offers: ReturnType<typeof setInterval> | undefined;
  /** Requests whose answers are not there yet. */
  #answering = 0;

  constructor(lead: Lead) {
    this.#lead = lead;
    this.#doors = new LeaderDoors({
      name: this.#name,
      answer: (request, client) => this.answer(request, client),
      refusal: () => this.#refusal(),
      leaderSilent: () => this.#takeOver(),
      leaderYields: () => {
        // A tab of a former version has nothing newer to offer.
        if (this.#offers === undefined) this.#takeOver();
      },
    });
    addEventListener("pagehide", (event) => this.#putAway(event.persisted));
    addEventListener("pageshow", (event) => event.persisted && this.#stand());
    document.addEventListener("freeze", () => this.#putAway(true));
    document.addEventListener("resume", () => this.#stand());
    this.#stand();
  }

  async answer(request: Request, client: ApiClient): Promise<Response> {
    const term = this.#term;
    if (term === undefined) throw this.#refusal() ?? notLeading();
    const node = await term.node.catch((error: unknown) => {
      throw startFailed(error);
    });
    this.#answering += 1;
    try {
      return await node.answer(request, client);
    } finally {
      this.#answering -= 1;
    }
  }

  retry(): void {
    if (this.state.value.name === "failed") this.#stand();
  }

  reportSilence(): void {
    this.#doors.announce({ type: "leader-silent" });
    this.#takeOver();
  }

  yieldToNewer(): void {
    this.#offers ??= setInterval(() => this.#offerLead(), OFFER_LEAD_EVERY_MS);
  }

  startAnew(): void {
    const term = this.#term;
    if (term === undefined) return;
    const look = setInterval(() => {
      if (this.#term === term && this.#isOccupied()) return;
      clearInterval(look);
      if (this.#term === term) void this.#retire(false).then(() => this.#stand());
    }, START_ANEW_LOOK_MS);
  }

  /** Waits for the lock, or takes it away from who holds it. */
  #stand(how: "wait" | "steal" = "wait"): void {
    if (this.#term !== undefined) return;
    this.#queue.abort();
    const queue = new AbortController();
    this.#queue = queue;
    this.state.set({ name: "waiting" });
    if (navigator.locks === undefined) {
      this.state.set({
        name: "failed",
        error: new Error("This page has no secure context, so no node can run"),
      });
      return;
    }
    const options: LockOptions = how === "steal" ? { steal: true } : { signal: queue.signal };
    navigator.locks
      .request(LOCK, options, async () => {
        // Between the browser's giving the lock and its call here, somebody may have changed their mind.
        if (!queue.signal.aborted) await this.#serve();
      })
      .catch((error: unknown) => {
        if (error instanceof DOMException && error.name === "AbortError") this.#lockLost(queue);
        // Where a person has blocked the site's data there are no locks either.
        else this.state.set({ name: "failed", error });
      });
  }

  /** Leads until the term is over; the lock is held as long as this runs. */
  async #serve(): Promise<void> {
    let release!: () => void;
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    const ending = new AbortController();
    const term: Term = { node: this.#lead(ending.signal), running: undefined, ending, release };
    this.#term = term;
    this.state.set({ name: "starting" });
    this.#doors.announce({ type: "leads", leader: this.#name });
    try {
      term.running = await term.node;
    } catch (error) {
      if (this.#term !== term) return;
      this.#term = undefined;
      this.state.set({ name: "failed", error });
      this.#doors.closeAll(startFailed(error));
      return;
    }
    if (this.#term === term) this.state.set({ name: "leading" });
    await over;
  }

  /** The wait was ended, or another tab took the lock away. */
  #lockLost(queue: AbortController): void {
    if (queue.signal.aborted || this.#term === undefined) return;
    void this.#retire(true).then(() => this.#stand());
  }

  /** A frozen page could not give the lock back any more, so it goes before the node has stopped. */
  #putAway(isKept: boolean): void {
    this.#queue.abort();
    void this.#retire(isKept);
  }

  /** `isFollowed`: the lock goes at once, or is gone. */
  async #retire(isFollowed: boolean): Promise<void> {
    const term = this.#term;
    this.#term = undefined;
    if (this.state.value.name !== "failed") this.state.set({ name: "resting" });
    if (term === undefined) return;
    term.ending.abort();
    this.#doors.closeAll(new BridgeError("closed", "The tab that hosted the node has handed it over"));
    const stopped = term.node.then(
      (node) => node.stop(isFollowed),
      () => undefined,
    );
    if (isFollowed) term.release();
    await stopped.finally(() => term.release());
  }

  /** Why this tab answers nothing; undefined while it leads. */
  #refusal(): BridgeError | undefined {
    if (this.#term !== undefined) return undefined;
    const { value } = this.state;
    return value.name === "failed" ? startFailed(value.error) : notLeading();
  }

  #offerLead(): void {
    if (this.#isOccupied()) return;
    this.#doors.announce({ type: "leader-yields" });
  }

  /** Whether something would be cut short by the node's end; of a node that does not run, also its start. */
  #isOccupied(): boolean {
    const { running } = this.#term ?? {};
    return running === undefined || running.isBusy() || this.#answering > 0 || this.#doors.areCarrying();
  }

  #takeOver(): void {
    if (this.state.value.name !== "waiting" || document.visibilityState !== "visible") return;
    void navigator.locks.request(TAKEOVER_LOCK, { ifAvailable: true }, async (lock) => {
      if (lock === null || this.state.value.name !== "waiting") return;
      this.#stand("steal");
      await this.#decided();
    });
  }

  /** Resolves when this tab no longer waits for what it stands for. */
  #decided(): Promise<void> {
    return this.state.until(({ name }) => name !== "waiting" && name !== "starting");
  }
}

function notLeading(): BridgeError {
  return new BridgeError("not_leading", "This tab does not host the node");
}

function startFailed(error: unknown): BridgeError {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new BridgeError("start_failed", `The node could not start: ${reason}`, { cause: error });
}
