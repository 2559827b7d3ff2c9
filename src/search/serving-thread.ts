/**
 * A thread that serves one port, and the calls to it. Started by a runtime's host, called by text-reader and remote-model, which
 * say what serves at its other end.
 */
import * as Comlink from "comlink";
import { ThreadCalls } from "../sharing/thread-calls.ts";

export interface ServingThread {
  port: Comlink.Endpoint;
  /** Settles when the thread has ended, with the reason if it did so by itself. */
  ended: Promise<Error | undefined>;
  /** Whether calls are under way: an idle thread keeps no process alive. */
  setBusy(isBusy: boolean): void;
  end(): Promise<void>;
}

export type ServiceCall<Service, T> = (service: Comlink.Remote<Service>) => Promise<T>;

/** @throws what the service throws; the error of the thread's end */
export type Ask<Service> = <T>(call: ServiceCall<Service, T>) => Promise<T>;

/** `lost`: the error of calls that are under way when the thread ends, or come later, by the reason that it tells. */
export function askerOf<Service>(
  { port, ended }: ServingThread,
  lost: (reason: Error | undefined) => Error,
): Ask<Service> {
  const service = Comlink.wrap<Service>(port);
  const calls = new ThreadCalls();
  void ended.then((reason) => {
    calls.end(lost(reason));
    // Comlink would keep the port for as long as what calls it, which calls that were never answered lead to.
    service[Comlink.releaseProxy]();
  });
  return (call) => calls.run(() => call(service));
}
