/**
 * Files that the system handed over by `share_target`, kept in a cache between the worker, which gets them in a form, and
 * the page, which takes them once. Any site can send such a form, so the page asks before it shares what it took.
 */
import { MAX_KEPT_SHARES, MAX_SHARED_FILES } from "./limits.ts";

/** Where the manifest's `share_target` sends its form. */
export const SHARE_TARGET_PATH = "/share-target";

/** What the page is opened with where they could not be kept: storage is full, or the form was none. */
export const SHARE_FAILED_QUERY = "?share-target=failed";
/** What it is opened with where they were more than are kept. */
export const SHARE_CUT_QUERY = "?share-target=cut";

const CACHE = "shoal-shared-files";

/** Keeps the first MAX_SHARED_FILES for the page. @throws what the cache throws, when storage is full */
export async function keepSharedFiles(files: readonly File[]): Promise<void> {
  const cache = await caches.open(CACHE);
  const shares = [...new Set((await cache.keys()).map((key) => shareOf(key.url)))].sort();
  for (const share of shares.slice(0, Math.max(0, shares.length - MAX_KEPT_SHARES + 1))) {
    await remove(cache, share);
  }
  const share = `${SHARE_TARGET_PATH}/${Date.now()}-${crypto.randomUUID()}`;
  try {
    for (const [index, file] of files.slice(0, MAX_SHARED_FILES).entries()) {
      const headers = {
        "Content-Type": file.type,
        "X-Name": encodeURIComponent(file.name),
        "X-Modified": String(file.lastModified),
      };
      await cache.put(`${share}/${String(index).padStart(3, "0")}`, new Response(file, { headers }));
    }
  } catch (error) {
    await remove(cache, share);
    throw error;
  }
}

export interface SharedFiles {
  files: File[];
  /** Those that can't be read. */
  lost: { name: string; error: unknown }[];
}

/** Gives the files that wait, oldest share first, and keeps them no longer. */
export async function takeSharedFiles(): Promise<SharedFiles> {
  const cache = await caches.open(CACHE);
  const keys = [...(await cache.keys())].sort((a, b) => (a.url < b.url ? -1 : 1));
  const taken: SharedFiles = { files: [], lost: [] };
  for (const key of keys) {
    const response = await cache.match(key);
    if (response === undefined) continue;
    const name = decodeURIComponent(response.headers.get("x-name") ?? "file");
    const type = response.headers.get("content-type") ?? "";
    const lastModified = Number(response.headers.get("x-modified") ?? 0);
    try {
      taken.files.push(new File([await response.blob()], name, { type, lastModified }));
    } catch (error) {
      taken.lost.push({ name, error });
    }
  }
  // The files' bytes stay readable: a Blob outlives the cache entry it came from.
  for (const key of keys) await cache.delete(key);
  return taken;
}

/** The part of a key that all files of one share have in common. */
function shareOf(url: string): string {
  return new URL(url).pathname.split("/").slice(0, 3).join("/");
}

async function remove(cache: Cache, share: string): Promise<void> {
  for (const key of await cache.keys()) {
    if (shareOf(key.url) === share) await cache.delete(key);
  }
}
