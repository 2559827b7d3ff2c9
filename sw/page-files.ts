/**
 * The page's own files: kept, and served from the cache, so that the page opens without a network. Called by sw.
 * Any navigation that is no file gets index.html. Source: workbox-precaching, which alone knows what is kept.
 */
import { PrecacheController } from "workbox-precaching";
import { isPagePath } from "../src/bridge/api-paths.ts";

const PAGE = "index.html";

export class PageFiles {
  readonly #kept = new PrecacheController();
  #keeping: Promise<boolean> | undefined;

  constructor(files: { url: string; revision: string | null }[]) {
    // The page itself is kept last: where it is, all that it needs is, too.
    this.#kept.addToCacheList([
      ...files.filter(({ url }) => url !== PAGE),
      ...files.filter(({ url }) => url === PAGE),
    ]);
  }

  /**
   * Keeps what is not kept yet, or so many files of that; whether all are kept then. Rejects where one can't be had;
   * those before it stay.
   */
  keep(mostFiles = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.#keeping ??= this.#keepNext(mostFiles).finally(() => {
      this.#keeping = undefined;
    });
    return this.#keeping;
  }

  /** One after another, so that the page's own requests get on. Workbox would do it too, but for an install alone. */
  async #keepNext(mostFiles: number): Promise<boolean> {
    const cache = await caches.open(this.#kept.strategy.cacheName);
    const keptKeys = new Set((await cache.keys()).map(({ url }) => url));
    const missing = [...this.#kept.getURLsToCacheKeys()].filter(([, key]) => !keptKeys.has(key));
    for (const [url, key] of missing.slice(0, mostFiles)) {
      const response = await fetch(url, { cache: key === url ? "default" : "reload" });
      if (!response.ok) throw new Error(`${url} can't be kept: the answer was ${response.status}`);
      // As a host reads a file that is being written anew. Kept, an empty page would stay, without a button to load another.
      const { size } = await response.clone().blob();
      if (size === 0) throw new Error(`${url} can't be kept: the answer was empty`);
      // What came by a redirect can't be given to whoever navigates.
      await cache.put(key, response.redirected ? new Response(response.body, response) : response);
    }
    return missing.length <= mostFiles;
  }

  /** Drops the files of older versions. */
  async dropOthers(event: ExtendableEvent): Promise<void> {
    await this.#kept.activate(event);
  }

  /** What answers a request, if it is for one of the files. */
  answer(request: Request): Promise<Response> | undefined {
    if (request.method !== "GET") return undefined;
    const url = new URL(request.url);
    const name = url.origin + url.pathname;
    if (this.#kept.getCacheKeyForURL(name) !== undefined) return this.#fromCache(name, request);
    const isPage = request.mode === "navigate" && isPagePath(url.pathname);
    return isPage ? this.#fromCache(PAGE, request) : undefined;
  }

  /** The network stands in for what is not kept yet, or was dropped by the browser. */
  async #fromCache(name: string, request: Request): Promise<Response> {
    return (await this.#kept.matchPrecache(name)) ?? (await fetch(request));
  }
}
