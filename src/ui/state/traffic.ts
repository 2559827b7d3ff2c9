/** Speeds over the last two minutes, for the status line and the chart. Fed by app-state once a second. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { MAX_TRAFFIC_SAMPLES } from "../limits.ts";

export interface TrafficSample {
  /** Seconds since the epoch. */
  atSeconds: number;
  downBytesPerSecond: number;
  upBytesPerSecond: number;
}

export interface Traffic {
  /** Oldest first. */
  readonly samples: ReadonlySignal<readonly TrafficSample[]>;
  readonly latest: ReadonlySignal<TrafficSample>;
  add(sample: TrafficSample): void;
}

export function createTraffic(): Traffic {
  const samples = signal<readonly TrafficSample[]>([]);
  const latest = signal<TrafficSample>({ atSeconds: 0, downBytesPerSecond: 0, upBytesPerSecond: 0 });
  return {
    samples,
    latest,
    add(sample) {
      samples.value = [...samples.value, sample].slice(-MAX_TRAFFIC_SAMPLES);
      latest.value = sample;
    },
  };
}
