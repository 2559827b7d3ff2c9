/**
 * A wait that ends with its waiter, for what goes on without one, since others wait for it, too, or it is a stranger's. Called by
 * the exchange's sessions, readers of files, runs of transfers, who fetches a manifest, the page's own fetch, the HTTP
 * server and the index's routes.
 */

/** Settles as the promise does, unless the signal aborts before. @throws the signal's reason */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
