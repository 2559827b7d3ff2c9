/**
 * The geometry of a scatter: which part of the plane is seen, which point lies under a pointer, which one next to
 * another. Called by scatter and its gestures; calls nothing. Points are row-major [count, 2]; screens have y downwards,
 * planes upwards.
 */
import { HIT_RADIUS_PIXELS, MAX_ZOOM, MIN_ZOOM } from "./limits.ts";

/** The plane's point in the middle of the drawing, and CSS pixels to one unit of the plane. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Spot {
  x: number;
  y: number;
}

/** Free space around the outermost points, in CSS pixels; and above what stands at the foot. */
const MARGIN_PIXELS = 24;
const MARGIN_ABOVE_FOOT_PIXELS = 12;

/** The view that shows all points, none of them beneath the buttons of the scatter, which take so much of the foot. */
export function wholeView(points: Float32Array, { width, height }: Size, buttonsPixels: number): View {
  if (points.length === 0) return { x: 0, y: 0, scale: 1 };
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 2) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  const roomAcross = Math.max(width - 2 * MARGIN_PIXELS, 1);
  const footPixels = buttonsPixels + MARGIN_ABOVE_FOOT_PIXELS;
  const roomUp = Math.max(height - MARGIN_PIXELS - footPixels, 1);
  // Points all in one place want no scale: any shows them.
  const scale = Math.min(roomAcross / (right - left || 1e-9), roomUp / (top - bottom || 1e-9), 1e9);
  const raised = (footPixels - MARGIN_PIXELS) / 2 / scale;
  return { x: (left + right) / 2, y: (bottom + top) / 2 - raised, scale };
}

export function toScreen(view: View, { width, height }: Size, x: number, y: number): Spot {
  return { x: width / 2 + (x - view.x) * view.scale, y: height / 2 - (y - view.y) * view.scale };
}

/** Zooms by the factor around a spot of the screen, within limits relative to the whole. */
export function zoomed(view: View, whole: View, size: Size, spot: Spot, factor: number): View {
  const scale = Math.min(Math.max(view.scale * factor, whole.scale * MIN_ZOOM), whole.scale * MAX_ZOOM);
  const dx = spot.x - size.width / 2;
  const dy = size.height / 2 - spot.y;
  return {
    x: view.x + dx / view.scale - dx / scale,
    y: view.y + dy / view.scale - dy / scale,
    scale,
  };
}

/** Moves what is seen along with a finger. */
export function panned(view: View, dxPixels: number, dyPixels: number): View {
  return { ...view, x: view.x - dxPixels / view.scale, y: view.y + dyPixels / view.scale };
}

/** The point nearest to a spot of the screen, if one is near enough to be meant. */
export function pointAt(points: Float32Array, view: View, size: Size, spot: Spot): number | undefined {
  const x = view.x + (spot.x - size.width / 2) / view.scale;
  const y = view.y + (size.height / 2 - spot.y) / view.scale;
  let nearest: number | undefined;
  let least = (HIT_RADIUS_PIXELS / view.scale) ** 2;
  for (let at = 0; at < points.length; at += 2) {
    const dx = (points[at] ?? 0) - x;
    const dy = (points[at + 1] ?? 0) - y;
    const distance = dx * dx + dy * dy;
    if (distance > least) continue;
    least = distance;
    nearest = at / 2;
  }
  return nearest;
}

/**
 * The next point from one in a direction of the plane: the nearest, where a detour sideways counts three times. Without
 * a point to start from: the one nearest to the middle.
 */
export function neighbourOf(
  points: Float32Array,
  from: number | undefined,
  direction: Spot,
  middle: Spot,
): number | undefined {
  const startX = from === undefined ? middle.x : (points[2 * from] ?? 0);
  const startY = from === undefined ? middle.y : (points[2 * from + 1] ?? 0);
  let next: number | undefined;
  let least = Infinity;
  for (let index = 0; index < points.length / 2; index++) {
    if (index === from) continue;
    const dx = (points[2 * index] ?? 0) - startX;
    const dy = (points[2 * index + 1] ?? 0) - startY;
    const ahead = dx * direction.x + dy * direction.y;
    if (from !== undefined && ahead <= 0) continue;
    const aside = dx * direction.y - dy * direction.x;
    const cost = from === undefined ? dx * dx + dy * dy : ahead * ahead + 9 * aside * aside;
    if (cost >= least) continue;
    least = cost;
    next = index;
  }
  return next;
}
