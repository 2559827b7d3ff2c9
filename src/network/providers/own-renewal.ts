/**
 * Leaves it to provider-announcer to renew this node's provider records. kad-dht does so by itself once they have ended, as
 * those of a node that is alone for hours have, and its threshold has no say in that: every half hour it compares each with
 * all that wait, in one turn of the event loop. Of 3,000 files this took 2 s of the processor, and it grows with their
 * square. Called by libp2p-node, before the DHT starts.
 */
import type { KadDHT } from "@libp2p/kad-dht";

/** What the library's types don't show of its DHT. */
interface Parts {
  reprovider: { shouldReprovide(isOwn: boolean, endsMs: number): boolean };
}

/** Of the records of others those that have ended are dropped, as before. */
export function renewNothing(dht: KadDHT): void {
  const { reprovider } = dht as unknown as Parts;
  reprovider.shouldReprovide = () => false;
}
