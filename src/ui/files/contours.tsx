/** Depth contours of an imagined shoal, with soundings, as on a chart: the ground that files are dropped on. Decoration. */
import "./contours.css";

/** Points around the middle of the shoal in the order of their angles: how far it reaches that way, 0..1. */
const REACH = [0.92, 0.98, 0.8, 0.72, 0.84, 1, 0.9, 0.7, 0.62, 0.74, 0.88, 0.82];
const MIDDLE = { x: 560, y: 190 };
const LINES = [0.2, 0.36, 0.54, 0.74, 0.96, 1.22, 1.52, 1.88];
const INNER_LINES = 4;
const SOUNDINGS = [
  [548, 196, 2],
  [610, 170, 3],
  [500, 232, 4],
  [672, 236, 6],
  [492, 128, 7],
  [600, 300, 9],
  [730, 140, 11],
  [690, 330, 16],
  [520, 52, 18],
  [760, 46, 21],
] as const;

/** `inner`: only the shallows, so that lines cross few words. */
export function Contours({ inner = false }: { inner?: boolean }) {
  const lines = inner ? LINES.slice(0, INNER_LINES) : LINES;
  return (
    <svg class="contours" viewBox="0 0 800 380" preserveAspectRatio="xMaxYMid slice" aria-hidden="true">
      {[...lines].reverse().map((scale) => (
        <path key={scale} d={contour(scale)} />
      ))}
      {(inner ? SOUNDINGS.slice(0, INNER_LINES) : SOUNDINGS).map(([x, y, depth]) => (
        <text key={`${x} ${y}`} x={x} y={y}>
          {depth}
        </text>
      ))}
    </svg>
  );
}

/** A closed smooth line through the points: Catmull-Rom splines as Bézier curves. */
function contour(scale: number): string {
  const points = REACH.map((reach, index) => {
    const angle = (index / REACH.length) * 2 * Math.PI + scale * 0.35;
    // Deeper lines are rounder than the shoal itself.
    const radius = 190 * scale * (reach + (1 - reach) * Math.min(1, scale * 0.6));
    return { x: MIDDLE.x + Math.cos(angle) * radius * 1.55, y: MIDDLE.y + Math.sin(angle) * radius * 0.82 };
  });
  const at = (index: number) => points[(index + points.length) % points.length] ?? MIDDLE;
  const curves = points.map((_, index) => {
    const [before, from, to, after] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    const first = { x: from.x + (to.x - before.x) / 6, y: from.y + (to.y - before.y) / 6 };
    const second = { x: to.x - (after.x - from.x) / 6, y: to.y - (after.y - from.y) / 6 };
    return `C${text(first)} ${text(second)} ${text(to)}`;
  });
  return `M${text(at(0))}${curves.join("")}Z`;
}

function text({ x, y }: { x: number; y: number }): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
