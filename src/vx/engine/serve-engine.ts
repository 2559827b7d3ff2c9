/**
 * The worker's end of an engine in another thread. Called by a runtime's worker entry; the other end is RemoteEngine. Calls
 * are plain messages, for a search takes less time than Comlink would add; errors go as data.
 *
 *   request  [number, method, arguments]      the first is `open`, with the settings; it gives what `share` does
 *   answer   [number, { value } or { error }]
 */
import type { Endpoint } from "comlink";
import type { EngineSettings } from "../config.ts";
import { toErrorData, VxError, type VxErrorData } from "../errors.ts";
import type { Ranking, SharingEngine } from "./engine.ts";
import { MIN_TRANSFERRED_BYTES } from "./limits.ts";

export type EngineMethod = keyof SharingEngine;
export type ArgumentsOf<M extends EngineMethod> = Parameters<SharingEngine[M]>;
export type ResultOf<M extends EngineMethod> = Awaited<ReturnType<SharingEngine[M]>>;

export type Answer<T> = { value: T } | { error: VxErrorData };
export type EngineRequest = [number, EngineMethod | "open", unknown[]];
export type EngineAnswer = [number, Answer<unknown>];

/** Serves one engine, which `open` makes, over the port. */
export function serveEngine(
  port: Endpoint,
  openEngine: (settings: EngineSettings) => Promise<SharingEngine>,
): void {
  let engine: SharingEngine | undefined;
  const call = async (method: EngineRequest[1], args: unknown[]): Promise<unknown> => {
    if (method === "open") {
      engine = await openEngine(args[0] as EngineSettings);
      return engine.share();
    }
    if (engine === undefined) throw new VxError("unavailable", "The index is not open");
    return (engine[method] as (...args: unknown[]) => Promise<unknown>).apply(engine, args);
  };
  const serve = async ([number, method, args]: EngineRequest) => {
    try {
      const value = await call(method, args);
      port.postMessage([number, { value }] satisfies EngineAnswer, largeBuffers(value));
    } catch (error) {
      port.postMessage([number, { error: toErrorData(error) }] satisfies EngineAnswer);
    }
  };
  port.addEventListener("message", ((event: MessageEvent<EngineRequest>) => {
    void serve(event.data);
  }) as EventListener);
  port.start?.();
}

/** Of the rankings in a result, what is large enough to be handed over. */
function largeBuffers(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const rankings = (Array.isArray(value) ? value : [value]) as (Partial<Ranking> | undefined)[];
  for (const ranking of rankings) {
    // The largest of its arrays.
    if ((ranking?.ids?.byteLength ?? 0) < MIN_TRANSFERRED_BYTES) continue;
    for (const array of [ranking?.ids, ranking?.distances, ranking?.scores]) {
      if (array !== undefined) buffers.add(array.buffer as ArrayBuffer);
    }
  }
  return [...buffers];
}
