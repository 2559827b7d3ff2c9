/**
 * A canvas that is as sharp as the screen and draws anew when its size, its inputs or the theme change, at most once a
 * frame. Called by piece-bar and scatter; calls the `draw` given.
 */
import { useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { themeChanges } from "./css-colours.ts";

export interface Surface {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  /** CSS pixels; the context is scaled to them. */
  width: number;
  height: number;
  /** Device pixels in a CSS pixel. */
  density: number;
}

export interface Canvas {
  ref: RefObject<HTMLCanvasElement | null>;
  /** Draws in the next frame. */
  repaint(): void;
}

export function useCanvas(draw: (surface: Surface) => void, inputs: readonly unknown[]): Canvas {
  const ref = useRef<HTMLCanvasElement | null>(null);
  const latest = useRef(draw);
  latest.current = draw;
  const frame = useRef(0);

  const repaint = useCallback(() => {
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      const surface = ref.current === null ? undefined : surfaceOf(ref.current);
      if (surface !== undefined) latest.current(surface);
    });
  }, []);

  useEffect(() => {
    const observer = new ResizeObserver(repaint);
    if (ref.current !== null) observer.observe(ref.current);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [repaint]);
  useEffect(repaint, inputs);
  useSignalEffect(() => {
    themeChanges().value;
    repaint();
  });
  return { ref, repaint };
}

/** Undefined while the canvas has no room. */
function surfaceOf(canvas: HTMLCanvasElement): Surface | undefined {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext("2d");
  if (width === 0 || height === 0 || context === null) return undefined;
  const density = devicePixelRatio;
  const [deviceWidth, deviceHeight] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== deviceWidth) canvas.width = deviceWidth;
  if (canvas.height !== deviceHeight) canvas.height = deviceHeight;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  return { canvas, context, width, height, density };
}
