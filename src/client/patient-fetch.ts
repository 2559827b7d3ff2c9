/**
 * The global fetch, which in Node.js waits five minutes for the beginning of an answer and as long between two of its
 * pieces. A backup of a large index takes longer, or to share a file of a hundred gigabytes. Called by live-fetch.
 * Source: undici's `Dispatcher`.
 */

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** Where undici, by which Node.js fetches, keeps what requests go through. */
const IN_USE = Symbol.for("undici.globalDispatcher.1");

const patient: Dispatcher = {
  dispatch: (options, handler) =>
    (inUse() as Dispatcher).dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
};

/** It is there as soon as a Request was made; undefined in browsers, and where Node.js has put it elsewhere. */
function inUse(): Dispatcher | undefined {
  return (globalThis as { [IN_USE]?: Dispatcher })[IN_USE];
}

/** Waits for as long as the other end keeps the connection, or as the global one does where it can't be told to. */
export function patientFetch(request: Request, init: RequestInit): Promise<Response> {
  if (inUse() === undefined) return fetch(request, init);
  return fetch(request, { ...init, dispatcher: patient } as RequestInit);
}
