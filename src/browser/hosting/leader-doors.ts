/**
 * Where others reach the leader tab: ports that the service worker hands over, for itself or for another tab, and pipes
 * that tabs without a worker knock with. Used by leader; calls the bridge's answering end. A tab that does not lead
 * refuses at once, so that whoever knocks at all tabs soon knows.
 */
import type { ApiClient } from "../../api/ports.ts";
import { refusePort, type Served, serveRequests } from "../../bridge/answering.ts";
import { BridgeError } from "../../bridge/bridge-error.ts";
import { BroadcastPipe } from "../../bridge/broadcast-pipe.ts";
import { MAX_SERVED_PORTS, STAY_AWAKE_EVERY_MS } from "../../bridge/limits.ts";
import { openOriginChannel } from "../../bridge/origin-channel.ts";
import type { FramePort } from "../../bridge/port-end.ts";
import { readToAll, readToTab, TABS_CHANNEL, type ToAll, type ToWorker } from "../../bridge/tab-messages.ts";

interface DoorEvents {
  /** This tab's name. */
  name: string;
  answer(request: Request, client: ApiClient): Promise<Response>;
  /** Why nothing is answered here; undefined in the tab that leads. */
  refusal(): BridgeError | undefined;
  /** Somebody found that the leader answers nothing. */
  leaderSilent(): void;
  /** The leader gives the lead to a tab of the present version. */
  leaderYields(): void;
}

export class LeaderDoors {
  readonly #events: DoorEvents;
  readonly #tabs = openOriginChannel(TABS_CHANNEL);
  /** With the tab that each came from, in the order they came. */
  readonly #served = new Map<Served, string | null>();
  #awake: ReturnType<typeof setInterval> | undefined;

  constructor(events: DoorEvents) {
    this.#events = events;
    this.#tabs.addEventListener("message", ({ data }) => {
      const message = readToAll(data);
      if (message?.type === "leader-silent") events.leaderSilent();
      if (message?.type === "leader-yields") events.leaderYields();
      if (message?.type === "knock" && events.refusal() === undefined) {
        this.#serve(new BroadcastPipe(message.pipe, "joins"), message.pipe);
      }
    });
    navigator.serviceWorker?.addEventListener("message", ({ data, ports }) => {
      const message = readToTab(data);
      const port = ports[0];
      if (message === undefined || port === undefined) return;
      const refusal = events.refusal();
      if (refusal === undefined) this.#serve(port, message.tab);
      else refusePort(port, refusal);
    });
    navigator.serviceWorker?.startMessages();
  }

  /** Tells all tabs and the worker. */
  announce(message: ToAll): void {
    this.#tabs.postMessage(message);
  }

  /** Whether something is under way at any door that would break off with the lead, other than a stream of events. */
  areCarrying(): boolean {
    return [...this.#served.keys()].some((served) => served.carries());
  }

  /** Ends all that is served, with the reason. */
  closeAll(reason: BridgeError): void {
    for (const served of [...this.#served.keys()]) served.end(reason);
  }

  /** `tab`: whose own page asks, in the app's name; null where the worker asks for clients that it names. */
  #serve(port: FramePort, tab: string | null): void {
    if (tab === null) this.#endOlderWorkers();
    if (this.#served.size >= MAX_SERVED_PORTS) this.#endOldest();
    const { answer, name } = this.#events;
    const served = serveRequests(
      port,
      (request, client) =>
        answer(request, tab === null ? { address: client } : { address: tab, inProcess: true }),
      name,
    );
    this.#served.set(served, tab);
    this.#awake ??= setInterval(() => void this.#keepWorkerAwake(), STAY_AWAKE_EVERY_MS);
    void served.ended.then(() => this.#gone(served));
  }

  /** Of those that carry nothing, if there are any: closed tabs leave theirs behind, and engines don't tell of it. */
  #endOldest(): void {
    const all = [...this.#served.keys()];
    const oldest = all.find((served) => served.inFlight() === 0) ?? all[0];
    oldest?.end(new BridgeError("closed", "Too many ports are served; this was the oldest"));
  }

  /** Only one worker is active, so one that knocks anew was ended meanwhile; engines don't close its port. */
  #endOlderWorkers(): void {
    for (const [served, tab] of [...this.#served]) {
      if (tab === null) served.end(new BridgeError("closed", "The worker began anew"));
    }
  }

  #gone(served: Served): void {
    this.#served.delete(served);
    if (this.#served.size > 0) return;
    clearInterval(this.#awake);
    this.#awake = undefined;
  }

  async #keepWorkerAwake(): Promise<void> {
    if (![...this.#served.keys()].some((served) => served.inFlight() > 0)) return;
    const registration = await navigator.serviceWorker?.getRegistration();
    registration?.active?.postMessage({ type: "stay-awake" } satisfies ToWorker);
  }
}
