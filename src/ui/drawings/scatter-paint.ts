/**
 * Draws a scatter's points on a canvas: the many faint, the lit on top, rings around what is meant, names where they have room.
 * Called by scatter.
 */
import { resolvedColours } from "./css-colours.ts";
import { MAX_NAMED_POINTS, NAME_LINE_HEIGHT, PEER_HUES } from "./limits.ts";
import { type Box, type NamedPoint, namePlaces } from "./scatter-names.ts";
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
  /** What stands on the canvas, in its CSS pixels. */
  covered: readonly Box[];
}

/** From this many on points are squares, which draw several times faster and look the same at that size. */
const SQUARES_FROM = 4000;

interface Palette {
  plain: string;
  light: string;
  ink: string;
  ground: string;
  hues: string[];
}

interface Painting {
  surface: Surface;
  picture: ScatterPicture;
  palette: Palette;
  /** Of a plain point, in CSS pixels. */
  radius: number;
  spotOf: (index: number) => Spot;
}

export function paintPoints(surface: Surface, view: View, picture: ScatterPicture): void {
  const { points } = picture;
  const count = points.length / 2;
  const painting: Painting = {
    surface,
    picture,
    palette: paletteOf(surface.canvas),
    radius: count > SQUARES_FROM ? 1.5 : count > 500 ? 2.5 : 3.5,
    spotOf: (index) => toScreen(view, surface, points[2 * index] ?? 0, points[2 * index + 1] ?? 0),
  };
  const seen = paintMany(painting);
  paintLit(painting);
  paintRings(painting);
  if (picture.names !== undefined && seen.length <= MAX_NAMED_POINTS) paintNames(painting, seen);
}

function paletteOf(canvas: HTMLCanvasElement): Palette {
  const [plain = "", light = "", ink = "", ground = "", ...hues] = resolvedColours(canvas, [
    "var(--ink-2)",
    "var(--mark)",
    "var(--ink)",
    "var(--water)",
    ...Array.from({ length: PEER_HUES }, (_, hue) => `var(--peer-${hue + 1})`),
  ]);
  return { plain, light, ink, ground, hues };
}

/** Gives the indexes of those in sight. */
function paintMany({ surface, picture, palette, radius, spotOf }: Painting): number[] {
  const { context, width, height } = surface;
  const { points, lit, hues } = picture;
  const count = points.length / 2;
  const isSeen = ({ x, y }: Spot) => x > -radius && y > -radius && x < width + radius && y < height + radius;
  const seen: number[] = [];
  // One path a colour: the canvas is told of a few fills, not of thousands.
  const paths = Array.from({ length: PEER_HUES + 1 }, () => new Path2D());
  for (let index = 0; index < count; index++) {
    const spot = spotOf(index);
    if (!isSeen(spot)) continue;
    seen.push(index);
    const path = paths[hues?.[index] ?? 0];
    if (count > SQUARES_FROM) path?.rect(spot.x - radius, spot.y - radius, 2 * radius, 2 * radius);
    else addDisc(path, spot, radius);
  }
  context.globalAlpha = lit.size > 0 ? 0.35 : 0.75;
  paths.forEach((path, hue) => {
    context.fillStyle = hue === 0 ? palette.plain : (palette.hues[hue - 1] ?? palette.plain);
    context.fill(path);
  });
  context.globalAlpha = 1;
  return seen;
}

function paintLit({ surface: { context }, picture: { lit }, palette, radius, spotOf }: Painting): void {
  const halo = new Path2D();
  const litPath = new Path2D();
  for (const index of lit) {
    const spot = spotOf(index);
    addDisc(halo, spot, radius + 4);
    addDisc(litPath, spot, radius + 2);
  }
  context.fillStyle = palette.ground;
  context.fill(halo);
  context.fillStyle = palette.light;
  context.fill(litPath);
}

function paintRings({ surface: { context }, picture, palette, radius, spotOf }: Painting): void {
  const { hovered, picked } = picture;
  for (const index of [hovered, picked]) {
    if (index === undefined) continue;
    const ring = new Path2D();
    addDisc(ring, spotOf(index), radius + 6);
    context.strokeStyle = palette.ink;
    context.lineWidth = index === picked ? 2.5 : 1.25;
    context.stroke(ring);
  }
}

function paintNames(painting: Painting, seen: readonly number[]): void {
  const { surface, palette, radius } = painting;
  const { canvas, context } = surface;
  const { fontSize, fontFamily } = getComputedStyle(canvas);
  context.font = `${fontSize} ${fontFamily}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.ground;
  context.fillStyle = palette.ink;
  const named = namedPoints(painting, seen, NAME_LINE_HEIGHT * Number.parseFloat(fontSize));
  // What is lit is wider.
  const places = namePlaces(named, radius + 3, surface, painting.picture.covered);
  for (const [at, place] of places.entries()) {
    const name = named[at]?.name;
    if (place === undefined || name === undefined) continue;
    context.strokeText(name, place.x, place.y);
    context.fillText(name, place.x, place.y);
  }
}

/** What is picked comes first, then what is lit. */
function namedPoints(
  { surface, picture, spotOf }: Painting,
  seen: readonly number[],
  height: number,
): NamedPoint[] {
  const { names, lit, picked } = picture;
  const rank = (index: number) => (index === picked ? 0 : lit.has(index) ? 1 : 2);
  return seen
    .toSorted((a, b) => rank(a) - rank(b))
    .map((index) => {
      const name = names?.[index] ?? "";
      return { spot: spotOf(index), name, width: surface.context.measureText(name).width, height };
    });
}

function addDisc(path: Path2D | undefined, { x, y }: Spot, radius: number): void {
  path?.moveTo(x + radius, y);
  path?.arc(x, y, radius, 0, 2 * Math.PI);
}
