/**
 * Up to 20,000 points of a plane: hover and click, search hits lit, zoom by wheel, pinch, buttons and keyboard. Called by
 * the picture of vectors and the map of files; calls scatter-view for geometry, scatter-gestures for the pointer and
 * scatter-paint to draw. Arrow keys go from point to point, so that a screen reader can walk through the picture.
 */
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { MAX_SCATTER_POINTS } from "./limits.ts";
import { listenToGestures } from "./scatter-gestures.ts";
import type { Box } from "./scatter-names.ts";
import { paintPoints } from "./scatter-paint.ts";
import {
  neighbourOf,
  panned,
  pointAt,
  type Size,
  toScreen,
  type View,
  wholeView,
  zoomed,
} from "./scatter-view.ts";
import { useCanvas } from "./use-canvas.ts";
import "./scatter.css";

interface ScatterProps {
  /** Row-major [count, 2]; those beyond MAX_SCATTER_POINTS are not drawn. */
  points: Float32Array;
  /** Indexes of the points that are search hits. */
  lit: ReadonlySet<number>;
  /** For each point which of the theme's peer colours it has, from 1; 0 is none. */
  hues?: Uint8Array | undefined;
  /** For each point a short name, shown where there is room; a few letters, the whole is told by `describe`. */
  names?: readonly string[] | undefined;
  picked: number | undefined;
  onPick: (index: number) => void;
  /** A line about a point. */
  describe: (index: number) => string;
  label: string;
}

const DIRECTIONS: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
};

const ZOOM_STEP = 1.5;
const PAN_STEP_PIXELS = 60;

export function Scatter({ points: all, lit, hues, names, picked, onPick, describe, label }: ScatterProps) {
  const points = useMemo(() => all.subarray(0, 2 * MAX_SCATTER_POINTS), [all]);
  const helpId = useId();
  const plane = useRef<HTMLDivElement>(null);
  const tools = useRef<HTMLDivElement>(null);
  /** What was zoomed or moved to; undefined: all points, whatever room there is for them. */
  const view = useRef<View | undefined>(undefined);
  /** With the points it is one of: in others the same index is another point. */
  const [hover, setHover] = useState<{ of: Float32Array; index: number } | undefined>(undefined);
  const hovered = hover?.of === points ? hover.index : undefined;
  /** The last one given: listeners made anew for each would end a drag that is under way. */
  const pick = useRef(onPick);
  pick.current = onPick;
  const canvas = useCanvas(
    (surface) => {
      const covered = boxesOn(surface.canvas, tools.current);
      const seen = view.current ?? wholeView(points, surface, footOf(surface, covered));
      paintPoints(surface, seen, { points, lit, hues, names, picked, hovered, covered });
    },
    [points, lit, hues, names, picked, hovered],
  );
  const { ref, repaint } = canvas;

  const size = useCallback(
    () => ({ width: ref.current?.clientWidth ?? 0, height: ref.current?.clientHeight ?? 0 }),
    [ref],
  );
  const whole = useCallback(() => {
    const covered = ref.current === null ? [] : boxesOn(ref.current, tools.current);
    return wholeView(points, size(), footOf(size(), covered));
  }, [ref, points, size]);
  const present = useCallback(() => view.current ?? whole(), [whole]);
  const move = useCallback(
    (next: View | undefined) => {
      view.current = next;
      setHover(undefined);
      repaint();
    },
    [repaint],
  );
  const zoom = (factor: number) => {
    const room = size();
    move(zoomed(present(), whole(), room, { x: room.width / 2, y: room.height / 2 }, factor));
  };

  // New points are a new picture.
  useMemo(() => {
    view.current = undefined;
  }, [points]);

  useEffect(() => {
    const stop = new AbortController();
    if (plane.current === null) return undefined;
    const at = (spot: { x: number; y: number }) => pointAt(points, present(), size(), spot);
    listenToGestures(
      plane.current,
      {
        view: present,
        whole,
        move,
        hover: (spot) => {
          const index = spot === undefined ? undefined : at(spot);
          setHover(index === undefined ? undefined : { of: points, index });
        },
        pick: (spot) => {
          const index = at(spot);
          if (index !== undefined) pick.current(index);
        },
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [points, present, size, whole, move]);

  function pressed(event: KeyboardEvent): void {
    // The browser's own: its zoom, and the page before.
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined && event.shiftKey) {
      move(panned(present(), -direction.x * PAN_STEP_PIXELS, direction.y * PAN_STEP_PIXELS));
    } else if (direction !== undefined) {
      const next = neighbourOf(points, picked, direction, present());
      if (next !== undefined) onPick(next);
    } else if (event.key === "+" || event.key === "=") zoom(ZOOM_STEP);
    else if (event.key === "-") zoom(1 / ZOOM_STEP);
    else if (event.key === "0") move(undefined);
    else return;
    event.preventDefault();
  }

  const told = hovered ?? picked;
  return (
    <div class="scatter">
      <div
        ref={plane}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys of its own
        tabIndex={0}
        aria-label={label}
        aria-describedby={helpId}
        onKeyDown={pressed}
      >
        <canvas ref={ref} />
      </div>
      {hovered !== undefined && (
        <Tip points={points} index={hovered} view={present()} size={size()} text={describe(hovered)} />
      )}
      <div ref={tools} class="scatter-tools">
        <Button label="Zoom in" onClick={() => zoom(ZOOM_STEP)}>
          +
        </Button>
        <Button label="Zoom out" onClick={() => zoom(1 / ZOOM_STEP)}>
          −
        </Button>
        <Button label="Show all points" onClick={() => move(undefined)}>
          All
        </Button>
      </div>
      <p id={helpId} class="unseen">
        Arrow keys go from point to point, Shift with arrows moves the picture, plus and minus zoom, 0 shows
        all.
      </p>
      <p class="unseen" aria-live="polite">
        {told === undefined ? "" : describe(told)}
      </p>
    </div>
  );
}

/** Where the children of what stands on a canvas are, in its CSS pixels. */
function boxesOn(canvas: HTMLCanvasElement, tools: HTMLElement | null): Box[] {
  const { left: x, top: y } = canvas.getBoundingClientRect();
  return Array.from(tools?.children ?? [], (tool) => {
    const { left, right, top, bottom } = tool.getBoundingClientRect();
    return { left: left - x, right: right - x, top: top - y, bottom: bottom - y };
  });
}

/** How much of the foot they take, which grows with a person's letters. */
function footOf({ height }: Size, boxes: readonly Box[]): number {
  return height - Math.min(height, ...boxes.map(({ top }) => top));
}

interface TipProps {
  points: Float32Array;
  index: number;
  view: View;
  size: Size;
  text: string;
}

function Tip({ points, index, view, size, text }: TipProps) {
  const { x, y } = toScreen(view, size, points[2 * index] ?? 0, points[2 * index + 1] ?? 0);
  const sides = `${x > size.width / 2 ? " leftward" : ""}${y < 80 ? " below" : ""}`;
  return (
    <div class={`scatter-tip${sides}`} style={{ left: `${x}px`, top: `${y}px` }} aria-hidden="true">
      {text}
    </div>
  );
}
