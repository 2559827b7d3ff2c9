/**
 * Finds the tab that leads: hands a port to every open tab, of which the leader alone says hello. Called by carry and sw.
 * The port found serves until it ends; the worker may be ended at any time, and then begins anew.
 */
import { type Asker, askOver, endFormer } from "../src/bridge/asking.ts";
import { BridgeError, isBridgeError } from "../src/bridge/bridge-error.ts";
import { LEADER_WITHIN_MS } from "../src/bridge/limits.ts";
import { readToAll, TABS_CHANNEL, type ToAll, type ToTab } from "../src/bridge/tab-messages.ts";

interface FoundLeader {
  asker: Asker;
  clientId: string;
}

export class LeaderFinder {
  readonly #clients: Clients;
  readonly #tabs = new BroadcastChannel(TABS_CHANNEL);
  #found: Promise<FoundLeader> | undefined;
  /** The tab that was the last to say that it leads. */
  #newest = "";

  constructor(clients: Clients) {
    this.#clients = clients;
    // Where no event tells that the former leader is gone, its successor does.
    this.#tabs.addEventListener("message", ({ data }) => {
      const message = readToAll(data);
      if (message?.type !== "leads") return;
      this.#newest = message.leader;
      this.#found?.then(
        ({ asker }) => endFormer(asker, this.#newest),
        () => undefined,
      );
    });
  }

  /** Waits some seconds while a tab is about to lead. @throws BridgeError `no_leader`, `start_failed`, `version_mismatch` */
  find(): Promise<FoundLeader> {
    if (this.#found !== undefined) return this.#found;
    const found = this.#search();
    const forget = () => {
      this.#found = undefined;
    };
    found.then(({ asker }) => asker.ended.then(forget), forget);
    this.#found = found;
    return found;
  }

  /** A tab that is looked at takes over from a leader that answers nothing. */
  reportSilence(): void {
    this.#tabs.postMessage({ type: "leader-silent" } satisfies ToAll);
  }

  async #search(): Promise<FoundLeader> {
    const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), LEADER_WITHIN_MS));
    const over = new AbortController();
    try {
      return await this.#searchUntil(late, over.signal);
    } finally {
      over.abort();
    }
  }

  async #searchUntil(late: Promise<"late">, over: AbortSignal): Promise<FoundLeader> {
    for (let isNewLeader = false; ; isNewLeader = true) {
      const leads = this.#nextLeader(over);
      const windows = await this.#clients.matchAll({ type: "window", includeUncontrolled: true });
      if (windows.length === 0) throw noLeader();
      const knocks = windows.map(knock);
      const first = firstOf(knocks);
      const result = await Promise.race([first, leads, late]);
      if (typeof result === "object") {
        endOthers(knocks, result);
        return result;
      }
      endOthers(knocks, undefined);
      if (result === "late") {
        // Who began to lead during the search is only late.
        if (!isNewLeader) this.reportSilence();
        throw noLeader();
      }
    }
  }

  #nextLeader(over: AbortSignal): Promise<"leads"> {
    return new Promise((resolve) => {
      const heard = ({ data }: MessageEvent) => readToAll(data)?.type === "leads" && resolve("leads");
      this.#tabs.addEventListener("message", heard, { signal: over });
    });
  }
}

function noLeader(): BridgeError {
  return new BridgeError("no_leader", "No tab hosts the node: open the app and try again");
}

/** @throws BridgeError why that tab does not answer */
async function knock(client: Client): Promise<FoundLeader> {
  const { port1, port2 } = new MessageChannel();
  client.postMessage({ type: "serve", tab: null } satisfies ToTab, [port2]);
  return { asker: await askOver(port1), clientId: client.id };
}

/**
 * The first tab that says hello. Where all refuse, one that may lead soon is worth the wait; where none of them ever
 * will, the reason is thrown.
 */
async function firstOf(knocks: Promise<FoundLeader>[]): Promise<FoundLeader> {
  try {
    return await Promise.any(knocks);
  } catch (error) {
    const reasons: unknown[] = (error as AggregateError).errors;
    const final = reasons.find((reason) => isBridgeError(reason, "version_mismatch", "start_failed"));
    if (final !== undefined && !reasons.some((reason) => isBridgeError(reason, "not_leading"))) throw final;
    return await new Promise(() => undefined);
  }
}

function endOthers(knocks: Promise<FoundLeader>[], chosen: FoundLeader | undefined): void {
  const unused = new BridgeError("closed", "Another tab leads");
  for (const other of knocks) {
    other.then(
      (found) => found === chosen || found.asker.end(unused),
      () => undefined,
    );
  }
}
