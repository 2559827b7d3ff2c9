/**
 * The files of search by meaning: kept when they are first fetched, not at install, since they are larger than all the rest
 * of the page. Called by sw. Their names carry a hash, so that what is kept is never out of date; of each, one is kept.
 */
import { asKept } from "./as-kept.ts";
import { flawOf } from "./flaw-of.ts";

const CACHE = "shoal-model-files";

/**
 * As the build names workers/embed.ts, what it fetches, and the reader of PDF in workers/texts.ts. A script of the page has the
 * name of the model, too.
 */
const MODEL_FILE =
  /^\/assets\/((?:embed|pdfjs)(?=-[\w-]+\.js$)|model(?=-[\w-]+\.onnx$)|runtime(?=-[\w-]+\.wasm$))/;

/** What a file is called before its hash: the same in every version. */
function partOf(pathname: string): string | undefined {
  return MODEL_FILE.exec(pathname)?.[1];
}

/** What answers the request, if it is for one of the files. */
export function modelFile(event: FetchEvent): Promise<Response> | undefined {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method !== "GET" || partOf(pathname) === undefined) return undefined;
  return answer(event, pathname);
}

async function answer(event: FetchEvent, pathname: string): Promise<Response> {
  // The page asks so for what it found damaged.
  const isAnew = event.request.cache === "reload";
  const kept = isAnew ? undefined : await caches.match(pathname, { cacheName: CACHE }).catch(() => undefined);
  if (kept !== undefined) return kept;
  const response = await fetch(event.request);
  event.waitUntil(keep(pathname, response.clone()));
  return response;
}

async function keep(pathname: string, response: Response): Promise<void> {
  try {
    if ((await flawOf(response, pathname)) !== undefined) return;
    const cache = await caches.open(CACHE);
    await cache.put(pathname, asKept(response));
    for (const { url } of await cache.keys()) {
      const other = new URL(url).pathname;
      if (other !== pathname && partOf(other) === partOf(pathname)) await cache.delete(url);
    }
  } catch {
    // Storage is full, or the page went away: the file is fetched again when it is next needed.
  }
}
