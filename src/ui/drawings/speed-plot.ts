/**
 * The uPlot behind the speed chart, in a module of its own so that it is loaded when a chart is first shown. Called by
 * speed-chart by dynamic import; calls uPlot.
 */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { speedText } from "../elements/quantities.ts";
import { TRAFFIC_SPAN_SECONDS } from "../limits.ts";
import type { TrafficSample } from "../state/traffic.ts";
import { resolvedColours } from "./css-colours.ts";

export interface SpeedPlot {
  show(samples: readonly TrafficSample[]): void;
  /** Puts the cursor on a sample, as the pointer does; undefined takes it away. */
  point(sample: TrafficSample | undefined): void;
  resize(): void;
  destroy(): void;
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Of the text around it, that of the axes. */
const LETTERS = 0.8;

/**
 * Half of the longest time's width, in letters' heights; one that is nearer to an edge would be cut off, or stand on
 * the speeds.
 */
const HALF_TIME = 3.4;

/** Below this the axis does not zoom in: an idle network is a flat line. Bytes a second. */
const LOWEST_TOP = 50_000;

/** Fills the box. `onPick` is told the sample at the cursor, undefined when there is none. */
export function openSpeedPlot(box: HTMLElement, onPick: (index: number | undefined) => void): SpeedPlot {
  const [down = "", up = "", line = "", text = ""] = resolvedColours(box, [
    "var(--peer-1)",
    "var(--mark)",
    "var(--line)",
    "var(--ink-2)",
  ]);
  const { fontFamily, fontSize } = getComputedStyle(box);
  const letter = LETTERS * Number.parseFloat(fontSize);
  const font = `${letter}px ${fontFamily}`;
  const axis = { stroke: text, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const series = (stroke: string) => ({ stroke, fill: faint(stroke), width: 1.75, points: { show: false } });
  const plot = new uPlot(
    {
      ...sizeOf(box),
      legend: { show: false },
      padding: [8, 0, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, width: 2 } },
      scales: {
        x: { range: (_, __, last) => spanTo(last ?? undefined) },
        y: { range: (_, __, highest) => [0, Math.max(highest ?? 0, LOWEST_TOP) * 1.1] },
      },
      series: [{}, series(down), series(up)],
      axes: [
        {
          ...axis,
          size: 2.2 * letter,
          space: 9 * letter,
          grid: { show: false },
          values: ({ over, valToPos }, seconds) =>
            seconds.map((at) => {
              const toEdge = Math.min(valToPos(at, "x"), over.clientWidth - valToPos(at, "x"));
              return toEdge < HALF_TIME * letter ? "" : TIME.format(at * 1000);
            }),
        },
        { ...axis, size: 6 * letter, space: 3 * letter, values: (_, speeds) => speeds.map(speedText) },
      ],
      hooks: { setCursor: [({ cursor }) => onPick(cursor.idx ?? undefined)] },
    },
    [[], [], []],
    box,
  );
  return {
    show(samples) {
      plot.setData([
        samples.map(({ atSeconds }) => atSeconds),
        samples.map(({ downBytesPerSecond }) => downBytesPerSecond),
        samples.map(({ upBytesPerSecond }) => upBytesPerSecond),
      ]);
    },
    point(sample) {
      const left = sample === undefined ? -1 : plot.valToPos(sample.atSeconds, "x");
      plot.setCursor({ left, top: Math.min(left, 0) });
    },
    resize: () => plot.setSize(sizeOf(box)),
    destroy: () => plot.destroy(),
  };
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement): { width: number; height: number } {
  return { width: clientWidth, height: clientHeight };
}

/** Nothing before the first sample, which has no time to show. */
function spanTo(lastSeconds: number | undefined): uPlot.Range.MinMax {
  return lastSeconds === undefined ? [null, null] : [lastSeconds - TRAFFIC_SPAN_SECONDS, lastSeconds];
}

/** The colour as a tint to fill the area under a line with. */
function faint(colour: string): string {
  return `color-mix(in srgb, ${colour} 12%, transparent)`;
}
