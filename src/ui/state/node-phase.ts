/**
 * Keeps in touch with the node: waits until its host has started it, reads its events, and comes back when the stream
 * ends. Called by app-state, which is told of each event and of each time the node is met.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { MAX_RECONNECT_MS, MIN_RECONNECT_MS } from "../limits.ts";
import type { Hosting, Watched } from "../ports.ts";
import { unlessAborted } from "./unless-aborted.ts";

export type NodePhase =
  | { phase: "starting"; step: string }
  | { phase: "running" }
  /** It ran, or should; another try follows by itself. */
  | { phase: "reconnecting" }
  | { phase: "failed"; reason: string; advice: string; retry?: () => void };

export interface NodeWatcher {
  /** The node answers (again): all that was known may be stale. Throws if it does not answer after all. */
  onMet(): Promise<void>;
  onEvent(event: ShoalEvent): void;
}

/** Runs until `stop` aborts. */
export function watchNode(
  client: ShoalClient,
  hosting: Watched<Hosting>,
  watcher: NodeWatcher,
  stop: AbortSignal,
): ReadonlySignal<NodePhase> {
  const phase = signal<NodePhase>({ phase: "starting", step: "Starting" });

  /** Of the last event that was told of, also where its stream broke off. */
  let lastEventId: string | undefined;

  async function readOnce(signal: AbortSignal): Promise<void> {
    const events = client.events({ signal, ...(lastEventId !== undefined && { lastEventId }) });
    // Asked for before the lists, so that nothing falls between.
    const first = events.next();
    first.catch(() => undefined);
    await watcher.onMet();
    phase.value = { phase: "running" };
    for (let next = await first; next.done !== true; next = await events.next()) {
      lastEventId = next.value.id;
      watcher.onEvent(next.value);
    }
  }

  async function run(): Promise<void> {
    let waitMs = MIN_RECONNECT_MS;
    while (!stop.aborted) {
      await untilRunning(hosting, phase, stop);
      const met = phase.subscribe((now) => {
        if (now.phase === "running") waitMs = MIN_RECONNECT_MS;
      });
      const running = whileRunning(hosting, stop);
      try {
        await readOnce(running.signal);
      } catch (error) {
        // Refused, or nobody there: both are shown as reconnecting, since the node is tried until it answers.
        if (stop.aborted) throw error;
      } finally {
        met();
        running.end();
      }
      if (hosting.value.state !== "running") continue;
      phase.value = { phase: "reconnecting" };
      await pause(waitMs, stop);
      waitMs = Math.min(waitMs * 2, MAX_RECONNECT_MS);
    }
  }

  run().catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
  return phase;
}

/** Settles when the node runs. */
export function whenRunning(phase: ReadonlySignal<NodePhase>): Promise<void> {
  return new Promise((resolve) => {
    let release = () => {};
    release = phase.subscribe((now) => {
      if (now.phase !== "running") return;
      resolve();
      // The first call comes before there is anything to release.
      queueMicrotask(() => release());
    });
  });
}

/** Aborts when the host says that the node no longer runs, which a stream may learn late, and when it is ended. */
function whileRunning(hosting: Watched<Hosting>, stop: AbortSignal) {
  const over = new AbortController();
  const release = hosting.subscribe(({ state }) => {
    if (state !== "running") over.abort();
  });
  const end = () => {
    release();
    over.abort();
  };
  return { signal: AbortSignal.any([stop, over.signal]), end };
}

/** Settles when the host says that the node runs; tells of the start meanwhile. */
async function untilRunning(
  hosting: Watched<Hosting>,
  phase: { value: NodePhase },
  stop: AbortSignal,
): Promise<void> {
  let release = () => {};
  const running = new Promise<void>((resolve) => {
    release = hosting.subscribe((now) => {
      if (now.state === "starting") phase.value = { phase: "starting", step: now.step };
      else if (now.state === "failed") phase.value = { ...now, phase: "failed" };
      else resolve();
    });
  });
  await unlessAborted(running, stop).finally(release);
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      stop.removeEventListener("abort", done);
      resolve();
    }
    stop.addEventListener("abort", done);
  });
}
