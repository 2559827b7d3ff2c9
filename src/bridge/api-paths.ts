/**
 * Which paths of an origin are the API's. Used by the service worker, which carries these to the leader tab, by the
 * page's own fetch, and by the static host, which answers 503 for those that no service worker took. Everything else
 * is a file of the page.
 */

/** Roots of the node's and the index's routes (contract); what lies beneath them is theirs too. */
const API_ROOTS = /^\/(?:api|vectors|search|metadata|reduce|admin|metrics|health)(?:\/|$)/;

export function isApiPath(pathname: string): boolean {
  return API_ROOTS.test(pathname);
}
