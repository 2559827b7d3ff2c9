/**
 * The page's own files: kept at install, served from the cache, so that the page opens without a network. Called by sw.
 * Any navigation that is no file gets index.html. Source: workbox-precaching, which alone knows what is kept.
 */
import { PrecacheController } from "workbox-precaching";

/** Keeps the files at install, drops those of older versions at activation, and gives what answers a request, if any. */
export function keepPageFiles(
  files: { url: string; revision: string | null }[],
): (request: Request) => Promise<Response> | undefined {
  const kept = new PrecacheController();
  kept.precache(files);

  return (request) => {
    if (request.method !== "GET") return undefined;
    const url = new URL(request.url);
    const name = url.origin + url.pathname;
    if (kept.getCacheKeyForURL(name) !== undefined) return fromCache(name, request);
    const isPage =
      request.mode === "navigate" && !/\.[^/]*$/.test(url.pathname) && !isPublished(url.pathname);
    return isPage ? fromCache("/index.html", request) : undefined;
  };

  /** The network stands in where the browser dropped the cache. */
  async function fromCache(name: string, request: Request): Promise<Response> {
    return (await kept.matchPrecache(name)) ?? (await fetch(request));
  }
}

/** Paths of the host beside the page: its gateway, and the documentation's files. */
function isPublished(pathname: string): boolean {
  return /^\/(?:ipfs|docs)(?:\/|$)/.test(pathname);
}
