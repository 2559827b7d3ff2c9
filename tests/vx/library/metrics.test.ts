/** The unit of what the metrics tell. */
import { expect, it, onTestFinished, vi } from "vitest";
import { Records } from "../../../src/vx/engine/records.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

it("tells memory in megabytes of a million bytes, as whoever reads them takes it", async () => {
  vi.spyOn(Records.prototype, "memoryBytes", "get").mockReturnValue(12_345_678);
  const vx = new Vx({ dimension: 2 }, inlineHost(new MemoryDisk()));
  onTestFinished(() => vx.close());
  expect((await vx.collectMetrics()).memory_usage_mb).toBe(12.35);
});
