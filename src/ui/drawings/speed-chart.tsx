/**
 * Download and upload speed over the last two minutes. Called by the screens of transfers and peers; calls speed-plot, which
 * it loads when first drawn. Its box has its height from the start, so that nothing moves when the chart comes.
 */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { speedText } from "../elements/quantities.ts";
import type { TrafficSample } from "../state/traffic.ts";
import { themeChanges } from "./css-colours.ts";
import type { SpeedPlot } from "./speed-plot.ts";
import "./speed-chart.css";

interface SpeedChartProps {
  /** Oldest first. */
  samples: readonly TrafficSample[];
  label: string;
}

export function SpeedChart({ samples, label }: SpeedChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<SpeedPlot | undefined>(undefined);
  const [picked, setPicked] = useState<number | undefined>(undefined);
  const [theme, setTheme] = useState(0);
  useSignalEffect(() => setTheme(themeChanges().value));

  useEffect(() => {
    let isGone = false;
    let opened: SpeedPlot | undefined;
    const observer = new ResizeObserver(() => opened?.resize());
    import("./speed-plot.ts").then(({ openSpeedPlot }) => {
      if (isGone || box.current === null) return;
      opened = openSpeedPlot(box.current, setPicked);
      observer.observe(box.current);
      setPlot(opened);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      opened?.destroy();
    };
  }, [theme]);
  useEffect(() => plot?.show(samples), [plot, samples]);

  const shown = samples[picked ?? samples.length - 1] ?? samples.at(-1);
  return (
    <figure class="speed-chart">
      <div ref={box} class="speed-chart-plot" role="img" aria-label={`${label}: ${textOf(shown)}`} />
      <figcaption class="figures">
        <span class="speed-chart-key down">Down {speedText(shown?.downBytesPerSecond ?? 0)}</span>
        <span class="speed-chart-key up">Up {speedText(shown?.upBytesPerSecond ?? 0)}</span>
      </figcaption>
    </figure>
  );
}

function textOf(sample: TrafficSample | undefined): string {
  if (sample === undefined) return "nothing measured yet";
  return `down ${speedText(sample.downBytesPerSecond)}, up ${speedText(sample.upBytesPerSecond)}`;
}
