/**
 * A file drawn chunk by chunk, each in the colour of the peer that brought it; chunks under way shimmer. Called by
 * transfer-pieces; calls chunk-columns for what to draw.
 */
import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { useSeen } from "../elements/use-seen.ts";
import { type ChunkRuns, chunkColumns, isAnyAsked, NO_SOURCE } from "./chunk-columns.ts";
import { resolvedColours } from "./css-colours.ts";
import { PEER_HUES, SHIMMER_FRAMES_PER_SECOND } from "./limits.ts";
import { peerHue } from "./peer-colours.ts";
import { type Surface, useCanvas } from "./use-canvas.ts";
import "./piece-bar.css";

interface PieceBarProps {
  runs: ChunkRuns;
  /** Peer ids that the runs' sources index. */
  peers: readonly string[];
  /** What it shows, and how much of it is here. */
  label: string;
}

/** Chunks at least this wide, in CSS pixels, are drawn apart from each other. */
const MIN_APART_PIXELS = 5;

export function PieceBar({ runs, peers, label }: PieceBarProps) {
  const isUnderWay = useMemo(() => isAnyAsked(runs), [runs]);
  const canvas = useCanvas((surface) => drawChunks(surface, runs, peers), [runs, peers]);
  useShimmer(isUnderWay, canvas.ref, canvas.repaint);
  return <canvas ref={canvas.ref} class="piece-bar" role="img" aria-label={label} />;
}

function drawChunks(surface: Surface, runs: ChunkRuns, peers: readonly string[]): void {
  const { canvas, context, width, height, density } = surface;
  const isApart = width / runs.chunkCount >= MIN_APART_PIXELS;
  const columnCount = isApart ? runs.chunkCount : Math.round(width * density);
  const { held, asked, sources } = chunkColumns(runs, columnCount);
  const [unknown = "", light = "", ...hues] = resolvedColours(canvas, [
    "var(--ink-2)",
    "var(--mark)",
    ...Array.from({ length: PEER_HUES }, (_, hue) => `var(--peer-${hue + 1})`),
  ]);
  const colourOf = (source: number) => {
    const peer = source === NO_SOURCE ? undefined : peers[source];
    return peer === undefined ? unknown : (hues[peerHue(peer) - 1] ?? unknown);
  };
  const gap = isApart ? 1 : 0;
  const glow = shimmer();
  let from = 0;
  for (let column = 1; column <= columnCount; column++) {
    const isSame =
      !isApart &&
      column < columnCount &&
      held[column] === held[from] &&
      asked[column] === asked[from] &&
      sources[column] === sources[from];
    if (isSame) continue;
    const x = (from / columnCount) * width;
    const right = (column / columnCount) * width;
    paint(held[from] ?? 0, colourOf(sources[from] ?? NO_SOURCE), x, right);
    paint((asked[from] ?? 0) * glow(x), light, x, right);
    from = column;
  }
  context.globalAlpha = 1;

  function paint(share: number, colour: string, x: number, right: number): void {
    if (share === 0) return;
    // A column with little of its chunks is still to be seen.
    context.globalAlpha = 0.2 + 0.8 * share;
    context.fillStyle = colour;
    context.fillRect(x, 0, Math.max(right - x - gap, 1 / density), height);
  }
}

/** Slow light that wanders along the bar; steady where motion is not wanted. */
function shimmer(): (x: number) => number {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return () => 0.6;
  const phase = performance.now() / 400;
  return (x) => 0.45 + 0.35 * Math.sin(phase - x / 18);
}

function useShimmer(isOn: boolean, ref: RefObject<HTMLCanvasElement | null>, repaint: () => void): void {
  const seen = useSeen(ref).value;
  useEffect(() => {
    if (!isOn || !seen || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const timer = setInterval(() => {
      if (!document.hidden) repaint();
    }, 1000 / SHIMMER_FRAMES_PER_SECOND);
    return () => clearInterval(timer);
  }, [isOn, seen, repaint]);
}
