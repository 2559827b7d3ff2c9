/** A line of recent values, small enough to stand in a row of text. Called by the screens; calls spark-path. */
import { sparkPath } from "./spark-path.ts";
import "./sparkline.css";

interface SparklineProps {
  /** Oldest first, from 0 up. */
  values: readonly number[];
  label: string;
  /** A CSS colour; default the text's. */
  colour?: string;
}

const WIDTH = 100;
const HEIGHT = 24;

export function Sparkline({ values, label, colour = "currentColor" }: SparklineProps) {
  const { line, area } = sparkPath(values, WIDTH, HEIGHT);
  return (
    <svg
      class="sparkline"
      viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      style={{ color: colour }}
    >
      <path class="sparkline-area" d={area} />
      <path class="sparkline-line" d={line} />
    </svg>
  );
}
