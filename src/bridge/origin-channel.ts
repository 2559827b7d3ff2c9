/**
 * A channel to all tabs of the origin, and to its worker. Used by broadcast-pipe, and by leader-doors, leader-link and
 * page-secrets in `browser`. Source: HTML, "Broadcasting to other browsing contexts".
 */
export type OriginChannel = Pick<
  BroadcastChannel,
  "addEventListener" | "removeEventListener" | "postMessage" | "close"
>;

/**
 * Where a person has blocked the site's data Firefox lets nobody have one. What is given instead reaches nobody and hears
 * nothing, so that the page is there to say why no node runs.
 */
export function openOriginChannel(name: string): OriginChannel {
  try {
    return new BroadcastChannel(name);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "SecurityError")) throw error;
    const { port1 } = new MessageChannel();
    port1.close();
    return port1;
  }
}
