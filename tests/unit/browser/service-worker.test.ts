/** What the page makes of a service worker that ends before it answers: src/browser/service-worker. */
import { afterEach, expect, it, vi } from "vitest";
import { KEEP_ANSWER_WITHIN_MS } from "../../../src/browser/limits.ts";
import { registerServiceWorker } from "../../../src/browser/service-worker.ts";
import { eventually } from "../../eventually.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("a worker that ended while it kept files is asked again", async () => {
  vi.useFakeTimers();
  const postMessage = vi.fn();
  const container = Object.assign(new EventTarget(), {
    controller: { postMessage },
    register: async () => Object.assign(new EventTarget(), { waiting: null }),
  });
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("navigator", { serviceWorker: container });
  const kept = registerServiceWorker("/sw.js").keepFiles();
  await eventually(() => expect(postMessage).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(KEEP_ANSWER_WITHIN_MS);
  expect(await kept).toBe(false);
});
