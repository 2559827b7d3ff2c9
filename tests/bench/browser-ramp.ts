/**
 * How soon a download is at full speed, by the progress that the node tells four times a second. Used by bench browser
 * for the first transfer between two pages.
 */
import type { BrowserParty } from "./browser-party.ts";
import { median } from "./results.ts";

interface Step {
  ms: number;
  progress: number;
}

/** Full speed: this share of the median over the whole transfer. */
const FULL = 0.8;

/** Looks from before the download until its end, by the events that the page was provided with. */
export async function secondsToFullSpeed(
  { page }: BrowserParty,
  fileId: string,
  sizeBytes: number,
): Promise<string> {
  const steps: Step[] = await page.evaluate(async (fileId) => {
    const steps: { ms: number; progress: number }[] = [];
    for await (const { event, data } of window.nodeEvents()) {
      if (data.file_id !== fileId || !event.startsWith("transfer_")) continue;
      const isDone = event === "transfer_complete";
      steps.push({ ms: performance.now(), progress: isDone ? 1 : (data.progress ?? 0) });
      if (isDone) return steps;
    }
    throw new Error("the event stream ended before the transfer");
  }, fileId);
  const startMs = steps[0]?.ms ?? 0;
  const speeds = steps.slice(1).map(({ ms, progress }, i) => {
    const before = steps[i] as Step;
    return { ms: ms - startMs, speed: ((progress - before.progress) * sizeBytes) / 1000 / (ms - before.ms) };
  });
  const usual = median(speeds.map(({ speed }) => speed));
  const full = speeds.find(({ speed }) => speed >= FULL * usual);
  return `The first transfer between two pages that have just met is at full speed (${FULL * 100} % of its median, ${usual.toFixed(1)} MB/s) ${((full?.ms ?? Number.NaN) / 1000).toFixed(2)} s after it was asked for.`;
}
