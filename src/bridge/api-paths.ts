/**
 * Which paths of an origin are the API's. Used by the service worker, which carries these to the leader tab, by the
 * page's own fetch, and by the static host, which answers 503 for those that no service worker took. Everything else
 * is a file of the page, or the page itself.
 */

/** Roots of the node's and the index's routes (contract); what lies beneath them is theirs too. */
const API_ROOTS = /^\/(?:api|vectors|search|metadata|reduce|admin|metrics|health)(?:\/|$)/;

export function isApiPath(pathname: string): boolean {
  return API_ROOTS.test(pathname);
}

/** Paths of the host beside the page: its gateway, and the documentation's files. */
const PUBLISHED = /^\/(?:ipfs|docs)(?:\/|$)/;

/** Whether the page itself is what somebody sees who goes there: the last part names no file. */
export function isPagePath(pathname: string): boolean {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  return !last.includes(".") && !PUBLISHED.test(pathname);
}
