/**
 * Draws a scatter's points on a canvas: the many faint, the lit on top, rings around what is meant, names where they have room.
 * Called by scatter.
 */
import { resolvedColours } from "./css-colours.ts";
import { MAX_NAMED_POINTS, PEER_HUES } from "./limits.ts";
import { type NamedPoint, namePlaces } from "./scatter-names.ts";
import { type Spot, toScreen, type View } from "./scatter-view.ts";
import type { Surface } from "./use-canvas.ts";

export interface ScatterPicture {
  points: Float32Array;
  lit: ReadonlySet<number>;
  hues: Uint8Array | undefined;
  /** For each point a short name; undefined where points have none. */
  names: readonly string[] | undefined;
  picked: number | undefined;
  hovered: number | undefined;
}

/** From this many on points are squares, which draw several times faster and look the same at that size. */
const SQUARES_FROM = 4000;

export function paintPoints(surface: Surface, view: View, picture: ScatterPicture): void {
  const { canvas, context, width, height } = surface;
  const { points, lit, hues, names, picked, hovered } = picture;
  const [plain = "", light = "", ink = "", ground = "", ...colours] = resolvedColours(canvas, [
    "var(--ink-2)",
    "var(--mark)",
    "var(--ink)",
    "var(--water)",
    ...Array.from({ length: PEER_HUES }, (_, hue) => `var(--peer-${hue + 1})`),
  ]);
  const count = points.length / 2;
  const radius = count > SQUARES_FROM ? 1.5 : count > 500 ? 2.5 : 3.5;
  const dim = lit.size > 0 ? 0.35 : 0.75;

  const spotOf = (index: number): Spot =>
    toScreen(view, surface, points[2 * index] ?? 0, points[2 * index + 1] ?? 0);
  const isSeen = ({ x, y }: Spot) => x > -radius && y > -radius && x < width + radius && y < height + radius;

  // One path a colour: the canvas is told of a few fills, not of thousands.
  const paths = Array.from({ length: PEER_HUES + 1 }, () => new Path2D());
  const seen: number[] = [];
  for (let index = 0; index < count; index++) {
    const spot = spotOf(index);
    if (!isSeen(spot)) continue;
    seen.push(index);
    const path = paths[hues?.[index] ?? 0];
    if (count > SQUARES_FROM) path?.rect(spot.x - radius, spot.y - radius, 2 * radius, 2 * radius);
    else addDisc(path, spot, radius);
  }
  context.globalAlpha = dim;
  paths.forEach((path, hue) => {
    context.fillStyle = hue === 0 ? plain : (colours[hue - 1] ?? plain);
    context.fill(path);
  });
  context.globalAlpha = 1;

  const halo = new Path2D();
  const litPath = new Path2D();
  for (const index of lit) {
    const spot = spotOf(index);
    addDisc(halo, spot, radius + 4);
    addDisc(litPath, spot, radius + 2);
  }
  context.fillStyle = ground;
  context.fill(halo);
  context.fillStyle = light;
  context.fill(litPath);

  for (const [index, colour] of [
    [hovered, ink],
    [picked, ink],
  ] as const) {
    if (index === undefined) continue;
    const ring = new Path2D();
    addDisc(ring, spotOf(index), radius + 6);
    context.strokeStyle = colour;
    context.lineWidth = index === picked ? 2.5 : 1.25;
    context.stroke(ring);
  }

  if (names === undefined || seen.length > MAX_NAMED_POINTS) return;
  const rank = (index: number) => (index === picked ? 0 : lit.has(index) ? 1 : 2);
  const ranked = seen.toSorted((a, b) => rank(a) - rank(b));
  context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  const named = ranked.map((index) => {
    const name = names[index] ?? "";
    return { spot: spotOf(index), name, width: context.measureText(name).width };
  });
  paintNames(surface, named, radius + 3, [ink, ground]);
}

function paintNames(
  { context, width, height }: Surface,
  named: readonly NamedPoint[],
  radius: number,
  [ink, ground]: [string, string],
): void {
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = ground;
  context.fillStyle = ink;
  for (const [at, place] of namePlaces(named, radius, { width, height }).entries()) {
    const name = named[at]?.name;
    if (place === undefined || name === undefined) continue;
    context.strokeText(name, place.x, place.y);
    context.fillText(name, place.x, place.y);
  }
}

function addDisc(path: Path2D | undefined, { x, y }: Spot, radius: number): void {
  path?.moveTo(x + radius, y);
  path?.arc(x, y, radius, 0, 2 * Math.PI);
}
