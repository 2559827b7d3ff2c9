/**
 * Load of this process and the size of its data folder, measured. Made by main; calls process and node:fs. The
 * busy fraction is of all cores together, over a window of a few samples, so that it means the same however
 * often it is asked for.
 */
import { lstat, readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { BlockStore, SystemMeter } from "../sharing/ports.ts";
import { unlessCode } from "./files/disk-errors.ts";
import { CPU_SAMPLE_MS, CPU_SAMPLES } from "./limits.ts";

export interface SystemMeterOptions {
  dataFolder: string;
  /** Whose folder is counted by what it says of itself, since it may hold a million files. */
  blocks: BlockStore;
  blocksFolder: string;
}

export interface RunningSystemMeter extends SystemMeter {
  stop(): void;
}

export function startSystemMeter(options: SystemMeterOptions): RunningSystemMeter {
  const samples = [takeSample()];
  const timer = setInterval(() => {
    samples.push(takeSample());
    if (samples.length > CPU_SAMPLES) samples.shift();
  }, CPU_SAMPLE_MS);
  timer.unref();

  return {
    cpuUsage() {
      const [then = takeSample()] = samples;
      const now = takeSample();
      const elapsedMs = now.wallMs - then.wallMs;
      if (elapsedMs <= 0) return 0;
      return Math.min(1, (now.busyMs - then.busyMs) / elapsedMs / availableParallelism());
    },
    memoryBytes: () => process.memoryUsage.rss(),
    diskBytes: async () =>
      options.blocks.usedBytes + (await folderBytes(options.dataFolder, options.blocksFolder)),
    stop: () => clearInterval(timer),
  };
}

function takeSample(): { wallMs: number; busyMs: number } {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), busyMs: (user + system) / 1000 };
}

/**
 * Sizes of all files beneath the folder, leaving one folder out. What vanishes meanwhile, or is not this user's, counts
 * nothing.
 */
async function folderBytes(folder: string, leftOut: string): Promise<number> {
  let sumBytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === leftOut) continue;
    const bytes = entry.isDirectory() ? folderBytes(path, leftOut) : lstat(path).then(({ size }) => size);
    sumBytes += (await unlessCode(bytes, "ENOENT", "EACCES")) ?? 0;
  }
  return sumBytes;
}
