/**
 * Dials in a row: a page is loaded again and again, and each time has to reach another page by WebRTC, introduced by the
 * relay. Used by bench browser.
 */
import type { OpenPage, PageSite } from "../browser/open-page.ts";
import { until } from "../interop/until.ts";
import { median } from "./results.ts";

export async function measureDials(site: PageSite, count: number): Promise<string> {
  await using standing = await site.open();
  await using coming = await site.open();
  const { node_id: standingId } = await standing.api<{ node_id: string }>("node/info");
  const seconds: number[] = [];
  let failures = 0;
  for (let i = 0; i < count; i++) {
    await coming.page.reload();
    const startMs = performance.now();
    try {
      await coming.ready();
      await until("the pages are connected", () => isConnected(coming, standingId), 30_000, 700);
      seconds.push((performance.now() - startMs) / 1000);
    } catch (error) {
      failures += 1;
      console.log(`dial ${i}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const slowest = Math.max(...seconds);
  return `${count} loads of a page, each with a new WebRTC connection to another page: ${failures} without one; ${median(seconds).toFixed(1)} s from load to connection in the median, ${slowest.toFixed(1)} s at most.`;
}

async function isConnected(page: OpenPage, peerId: string): Promise<boolean> {
  const { peers } = await page.api<{ peers: { id: string; transport: string }[] }>("node/peers");
  return peers.some(({ id, transport }) => id === peerId && transport === "webrtc");
}
