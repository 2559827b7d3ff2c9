/**
 * Load of the page, measured. Made by start-node. How busy the event loop is, is sampled: a worker sends a message now
 * and then, and the share of messages that had to wait is the share of time that the loop was at work. Memory is what
 * the engine reports; where it does not, what the node itself holds.
 */
import type { Clock, Log, SystemMeter } from "../sharing/ports.ts";
import { BUSY_DELAY_MS, MEMORY_SAMPLE_MS, PULSE_SAMPLES } from "./limits.ts";
import { storageUsedBytes } from "./storage/storage-persistence.ts";

declare global {
  interface Performance {
    /** https://wicg.github.io/performance-measure-memory: in pages isolated from other origins. */
    measureUserAgentSpecificMemory?(): Promise<{ bytes: number }>;
  }
}

export interface RunningSystemMeter extends SystemMeter {
  stop(): void;
}

export function startSystemMeter(options: {
  /** Memory that the node knows of, for engines that tell nothing. */
  heldBytes: () => number;
  clock: Clock;
  log: Log;
}): RunningSystemMeter {
  const { heldBytes, clock, log } = options;
  const stopping = new AbortController();
  const samples: boolean[] = [];
  const pulse = new Worker(new URL("../../workers/pulse.ts", import.meta.url), {
    type: "module",
    name: "pulse",
  });
  pulse.onmessage = ({ data: sentMs }: MessageEvent<number>) => {
    samples.push(performance.timeOrigin + performance.now() - sentMs > BUSY_DELAY_MS);
    if (samples.length > PULSE_SAMPLES) samples.shift();
  };
  let measuredBytes: number | undefined;
  if (crossOriginIsolated && performance.measureUserAgentSpecificMemory !== undefined) {
    measureMemory().catch((error: unknown) => {
      measuredBytes = undefined;
      if (!stopping.signal.aborted) log.info("the engine tells no more of its memory", { error });
    });
  }

  /** Each measurement waits for the next garbage collection, some 20 seconds at most. */
  async function measureMemory(): Promise<void> {
    for (;;) {
      measuredBytes = (await performance.measureUserAgentSpecificMemory?.())?.bytes;
      await clock.sleep(MEMORY_SAMPLE_MS, stopping.signal);
    }
  }

  return {
    cpuUsage: () => (samples.length === 0 ? 0 : samples.filter(Boolean).length / samples.length),
    memoryBytes: () => measuredBytes ?? heldBytes(),
    diskBytes: storageUsedBytes,
    stop() {
      stopping.abort();
      pulse.terminate();
    },
  };
}
