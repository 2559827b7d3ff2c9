/**
 * Dials in a row: a page is loaded again and again, and each time asks for a WebRTC connection to another page, introduced
 * by the relay. Used by bench browser, and alone: `npx tsx tests/bench/browser-dials.ts [count]`.
 */
import { type OpenPage, PageSite } from "../browser/open-page.ts";
import { until } from "../interop/until.ts";
import { median } from "./results.ts";

export async function measureDials(site: PageSite, count: number): Promise<string> {
  await using standing = await site.open();
  await using coming = await site.open();
  const address = await until("the page can be dialled", () => webRtcAddress(standing), 30_000, 700);
  const seconds: number[] = [];
  let failures = 0;
  for (let i = 0; i < count; i++) {
    await coming.page.reload();
    await coming.ready();
    const startMs = performance.now();
    try {
      const { transport } = await coming.api<{ transport: string }>("node/peers", "POST", { address });
      if (transport !== "webrtc") throw new Error(`it is connected by ${transport}`);
      seconds.push((performance.now() - startMs) / 1000);
    } catch (error) {
      failures += 1;
      console.log(`dial ${i}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const slowest = Math.max(...seconds);
  return `${count} loads of a page, each of which asks for a new WebRTC connection to another page: ${failures} failures; ${median(seconds).toFixed(2)} s from the node's start to the connection in the median, ${slowest.toFixed(2)} s at most.`;
}

async function webRtcAddress(page: OpenPage): Promise<string | undefined> {
  const { addresses } = await page.api<{ addresses: string[] }>("node/info");
  return addresses.find((address) => address.includes("/ws/") && address.includes("/p2p-circuit/webrtc"));
}

if (process.argv[1] === import.meta.filename) {
  await using site = await PageSite.start();
  console.log(await measureDials(site, Number(process.argv[2] ?? 100)));
}
