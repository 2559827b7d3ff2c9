/**
 * The page's own files: kept, and served from the cache, so that the page opens without a network. Called by sw.
 * Any navigation that is no file gets index.html. Tabs of the former version, whose files the host may have no more, go on with
 * theirs. Source: workbox-precaching, which alone knows what is kept.
 */
import { PrecacheController } from "workbox-precaching";
import { isPagePath } from "../src/bridge/api-paths.ts";
import { asKept } from "./as-kept.ts";
import { flawOf } from "./flaw-of.ts";

const PAGE = "index.html";

/** In the cache beside the files: which of them the version has that wrote it, an array of their keys as JSON. */
const KEYS_OF_VERSION = "/keys-of-version.json";

/** Files with a hash in their names: of one version or several, never changed. */
const HASHED = "/assets/";
/** Those that a page names. */
const ASSETS = /\/assets\/[\w.-]+/g;

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
      await cache.put(key, asKept(await this.#fetchWhole(url, key === url)));
    }
    return missing.length <= mostFiles;
  }

  /** The browser's own cache may hold for a file what was answered in its place: then the host is asked. */
  async #fetchWhole(url: string, mayBeCached: boolean): Promise<Response> {
    const response = await fetch(url, { cache: mayBeCached ? "default" : "reload" });
    const flaw = (await flawOf(response, url)) ?? (await this.#flawOfPage(response, url));
    if (flaw === undefined) return response;
    if (mayBeCached) return await this.#fetchWhole(url, false);
    throw new Error(`${url} can't be kept: the answer was ${flaw}`);
  }

  /**
   * A host is changed one file after another, and has other pages, as while it is mended or asks who is there: any of
   * them would stay for as long as this version.
   */
  async #flawOfPage(response: Response, url: string): Promise<string | undefined> {
    if (!url.endsWith(`/${PAGE}`)) return undefined;
    const named = (await response.clone().text()).match(ASSETS) ?? [];
    if (named.length === 0) return "another page";
    const areOwn = named.every((path) => this.#kept.getCacheKeyForURL(path) !== undefined);
    return areOwn ? undefined : "a page of another version";
  }

  /**
   * Drops the files of versions before the former, of which there is a list once one has been active that wrote it.
   * `isFollowed`: whether the next version is being installed, or is: its files are among them, so that all stay until it
   * is active.
   */
  async dropOthers(isFollowed: () => boolean): Promise<void> {
    const cache = await caches.open(this.#kept.strategy.cacheName);
    const own = [...this.#kept.getURLsToCacheKeys().values()];
    const former: string[] | undefined = await (await cache.match(KEYS_OF_VERSION))?.json();
    if (former !== undefined) {
      const wanted = new Set([...own, ...former]);
      const others = (await cache.keys()).filter(({ url }) => !wanted.has(url));
      // Asked once they are listed: what a version keeps that comes later is not among them.
      if (!isFollowed()) for (const request of others) await cache.delete(request);
    }
    await cache.put(KEYS_OF_VERSION, Response.json(own));
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

  /** What answers a tab of the former version that asks for one of its files. */
  answerFormer(request: Request): Promise<Response> | undefined {
    const isHashed = request.method === "GET" && new URL(request.url).pathname.startsWith(HASHED);
    return isHashed ? this.#fromFormer(request) : undefined;
  }

  #fromFormer(request: Request): Promise<Response> {
    const { cacheName } = this.#kept.strategy;
    return keptOrFetched(caches.match(request.url, { cacheName }), request);
  }

  #fromCache(name: string, request: Request): Promise<Response> {
    return keptOrFetched(this.#kept.matchPrecache(name), request);
  }
}

/** The network stands in for what is not kept yet, was dropped by the browser, or can't be read. */
async function keptOrFetched(kept: Promise<Response | undefined>, request: Request): Promise<Response> {
  return (await kept.catch(() => undefined)) ?? (await fetch(request));
}
