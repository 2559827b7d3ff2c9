/** What becomes of the Blobs that blocks are stored as, whose bytes lie in the browser's own process. */
import { expect, it } from "vitest";

it("are let go of while more are stored", async () => {
  const worker = new Worker(new URL("../browser/blob-weight.worker.ts", import.meta.url), { type: "module" });
  try {
    const { stored, mostHeld } = await new Promise<{ stored: number; mostHeld: number }>(
      (resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
      },
    );
    expect(mostHeld).toBeLessThan(stored / 2);
  } finally {
    worker.terminate();
  }
});
