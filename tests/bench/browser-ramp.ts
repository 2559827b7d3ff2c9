/**
 * How soon a download is at full speed, by the bytes that have come. What is stored tells less: a page stores several chunks
 * at once, as many as come in a third of a second. Used by bench browser for the first transfer between two pages.
 */
import type { Page } from "playwright";
import type { BrowserParty } from "./browser-party.ts";

interface Sample {
  ms: number;
  bytes: number;
}

/** Full speed: this share of the mean over the whole transfer. */
const FULL = 0.8;

/** The speed at a moment is that of so long before it: four messages of a data channel, or more, come in a tenth of that. */
const SPAN_MS = 250;

/** Requests that are not the page's own are limited to a hundred a minute. */
const SAMPLES = 60;
const SAMPLE_EVERY_MS = 60;

/** Looks from before the download until its end, by the events that the page was provided with. */
export async function secondsToFullSpeed(
  { page }: BrowserParty,
  fileId: string,
  sizeBytes: number,
): Promise<string> {
  const [{ startMs, endMs }, samples] = await Promise.all([startAndEnd(page, fileId), sampled(page)]);
  const usual = sizeBytes / (endMs - startMs);
  const full = samples.find((sample) => {
    const before = samples.findLast(({ ms }) => ms <= sample.ms - SPAN_MS);
    return before !== undefined && (sample.bytes - before.bytes) / (sample.ms - before.ms) >= FULL * usual;
  });
  const seconds = ((full?.ms ?? Number.NaN) - startMs) / 1000;
  return `The first transfer between two pages that have just met is at full speed (${FULL * 100} % of its mean, ${(usual / 1000).toFixed(1)} MB/s) ${seconds.toFixed(2)} s after it was asked for.`;
}

/** When the transfer of a file began and ended, by the page's clock. */
function startAndEnd(page: Page, fileId: string): Promise<{ startMs: number; endMs: number }> {
  return page.evaluate(async (fileId) => {
    let startMs: number | undefined;
    for await (const { event, data } of window.nodeEvents()) {
      if (data.file_id !== fileId || !event.startsWith("transfer_")) continue;
      startMs ??= performance.now();
      if (event === "transfer_complete") return { startMs, endMs: performance.now() };
    }
    throw new Error("the event stream ended before the transfer");
  }, fileId);
}

/** Bytes that have come to the page's node, for some seconds from now on. */
function sampled(page: Page): Promise<Sample[]> {
  return page.evaluate(
    async ({ count, everyMs }) => {
      const headers = { Authorization: `Bearer ${await window.shoal.apiKey()}` };
      const samples: Sample[] = [];
      while (samples.length < count) {
        const response = await fetch("/api/v1/system/stats", { headers });
        if (!response.ok) throw new Error(`the node told no figures: ${response.status}`);
        const { network } = await response.json();
        samples.push({ ms: performance.now(), bytes: network.total_downloaded });
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
      return samples;
    },
    { count: SAMPLES, everyMs: SAMPLE_EVERY_MS },
  );
}
