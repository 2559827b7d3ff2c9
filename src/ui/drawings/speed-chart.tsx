/**
 * Download and upload speed over the last two minutes. Called by the screen of transfers; calls speed-plot, which it loads when
 * first drawn. Pointer and arrow keys tell the speeds of a moment. Its box has its height from the start, so that nothing moves
 * when the chart comes.
 */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { FailedDrawing } from "../elements/lazy.tsx";
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
  const [isLost, setLost] = useState(false);
  const [picked, setPicked] = useState<number | undefined>(undefined);
  /** Of the moment that a key went to; not with the time that passes there. */
  const [said, setSaid] = useState("");
  const helpId = useId();
  const [theme, setTheme] = useState(0);
  useSignalEffect(() => setTheme(themeChanges().value));

  useEffect(() => {
    let isGone = false;
    let opened: SpeedPlot | undefined;
    const observer = new ResizeObserver(() => opened?.resize());
    import("./speed-plot.ts").then(
      ({ openSpeedPlot }) => {
        if (isGone || box.current === null) return;
        opened = openSpeedPlot(box.current, setPicked);
        observer.observe(box.current);
        setPlot(opened);
      },
      () => setLost(true),
    );
    return () => {
      isGone = true;
      observer.disconnect();
      opened?.destroy();
    };
  }, [theme]);
  useEffect(() => plot?.show(samples), [plot, samples]);

  function pressed(event: KeyboardEvent): void {
    // The browser's own: the page before.
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const last = samples.length - 1;
    const at = picked ?? last;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const sample = samples[Math.min(Math.max(next, 0), last)];
    plot?.point(sample);
    if (sample !== undefined) setSaid(`${agoText(sample, samples)}: ${textOf(sample)}`);
  }

  function leave(): void {
    plot?.point(undefined);
    setSaid("");
  }

  const pointed = picked === undefined ? undefined : samples[picked];
  const shown = pointed ?? samples.at(-1);
  return (
    <figure class="speed-chart">
      {isLost ? (
        <div class="speed-chart-plot">
          <FailedDrawing />
        </div>
      ) : (
        <div
          ref={box}
          class="speed-chart-plot"
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys of its own
          tabIndex={0}
          aria-label={label}
          aria-describedby={helpId}
          onKeyDown={pressed}
          onBlur={leave}
        />
      )}
      <figcaption class="figures">
        <span class="speed-chart-key down">Down {speedText(shown?.downBytesPerSecond ?? 0)}</span>
        <span class="speed-chart-key up">Up {speedText(shown?.upBytesPerSecond ?? 0)}</span>
        {pointed !== undefined && <span>{agoText(pointed, samples)}</span>}
      </figcaption>
      <p id={helpId} class="unseen">
        Left and right arrow keys go from second to second.
      </p>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
    </figure>
  );
}

function agoText({ atSeconds }: TrafficSample, samples: readonly TrafficSample[]): string {
  return `${Math.round((samples.at(-1)?.atSeconds ?? atSeconds) - atSeconds)} s ago`;
}

function textOf(sample: TrafficSample): string {
  return `down ${speedText(sample.downBytesPerSecond)}, up ${speedText(sample.upBytesPerSecond)}`;
}
