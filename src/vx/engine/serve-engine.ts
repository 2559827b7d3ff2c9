/**
 * The worker's end of an engine in another thread. Called by a runtime's worker entry; the other end is RemoteEngine. Comlink
 * carries calls; errors go as data, for Comlink would leave only their name and message.
 */
import * as Comlink from "comlink";
import type { EngineSettings } from "../config.ts";
import { toErrorData, VxError, type VxErrorData } from "../errors.ts";
import type { Engine, Ranking } from "./engine.ts";
import { MIN_TRANSFERRED_BYTES } from "./limits.ts";

export type EngineMethod = keyof Engine;
export type ArgumentsOf<M extends EngineMethod> = Parameters<Engine[M]>;
export type ResultOf<M extends EngineMethod> = Awaited<ReturnType<Engine[M]>>;

export type Answer<T> = { value: T } | { error: VxErrorData };

export interface EngineService {
  open(settings: EngineSettings): Promise<Answer<void>>;
  call<M extends EngineMethod>(method: M, args: ArgumentsOf<M>): Promise<Answer<ResultOf<M>>>;
}

/** Serves one engine, which `open` makes, over the port. */
export function serveEngine(
  port: Comlink.Endpoint,
  openEngine: (settings: EngineSettings) => Promise<Engine>,
): void {
  let engine: Engine | undefined;
  const service: EngineService = {
    open: (settings) =>
      answer(async () => {
        engine = await openEngine(settings);
      }),
    call: (method, args) =>
      answer(async () => {
        if (engine === undefined) throw new VxError("unavailable", "The index is not open");
        const call = engine[method] as (...args: unknown[]) => Promise<never>;
        return call.apply(engine, args);
      }),
  };
  Comlink.expose(service, port);
}

async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    const value = await work();
    return Comlink.transfer({ value }, largeBuffers(value));
  } catch (error) {
    return { error: toErrorData(error) };
  }
}

/** Of the rankings in a result, what is large enough to be handed over. */
function largeBuffers(value: unknown): ArrayBufferLike[] & Transferable[] {
  const rankings = (Array.isArray(value) ? value : [value]) as (Partial<Ranking> | undefined)[];
  const arrays = rankings.flatMap((ranking) => [ranking?.ids, ranking?.distances, ranking?.scores]);
  return arrays.flatMap((array) =>
    array !== undefined && array.byteLength >= MIN_TRANSFERRED_BYTES ? [array.buffer as ArrayBuffer] : [],
  );
}
