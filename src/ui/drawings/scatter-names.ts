/**
 * Names beside the points of a scatter: which points have room for theirs, so that none covers a point, another name or the
 * edge, nor lies beneath what stands on the picture. Called by scatter-paint; calls nothing.
 */
import type { Size, Spot } from "./scatter-view.ts";

export interface NamedPoint {
  spot: Spot;
  name: string;
  /** Of the text, in CSS pixels. */
  width: number;
  height: number;
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Between a point's edge and its name, in CSS pixels. */
const GAP_PIXELS = 4;

/**
 * For each of the points where the left end of its name stands, at half the name's height; undefined where there is no room.
 * Those that matter most come first. `covered`: where no name can be read.
 */
export function namePlaces(
  points: readonly NamedPoint[],
  radius: number,
  size: Size,
  covered: readonly Box[],
): (Spot | undefined)[] {
  const discs = points.map(({ spot: { x, y } }) => boxAround(x - radius, x + radius, y, 2 * radius));
  const taken = [...covered, ...discs];
  return points.map(({ spot, width, height }) => {
    for (const { x, y } of placesAround(spot, { width, height }, radius)) {
      const box = boxAround(x, x + width, y, height);
      if (!isWithin(box, size) || taken.some((other) => touches(box, other))) continue;
      taken.push(box);
      return { x, y };
    }
    return undefined;
  });
}

/** To the right, to the left, above, below. */
function placesAround({ x, y }: Spot, { width, height }: Size, radius: number): Spot[] {
  const aside = radius + GAP_PIXELS;
  const upward = radius + height / 2;
  return [
    { x: x + aside, y },
    { x: x - aside - width, y },
    { x: x - width / 2, y: y - upward },
    { x: x - width / 2, y: y + upward },
  ];
}

function boxAround(left: number, right: number, middle: number, height: number): Box {
  return { left, right, top: middle - height / 2, bottom: middle + height / 2 };
}

function isWithin({ left, right, top, bottom }: Box, { width, height }: Size): boolean {
  return left >= 0 && right <= width && top >= 0 && bottom <= height;
}

function touches(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
