/** The index in figures. Called by vectors-screen. */
import { Sparkline } from "../drawings/sparkline.tsx";
import { bytesText, numberText } from "../elements/quantities.ts";
import type { Metrics } from "./vectors-state.ts";
import "./index-figures.css";

interface IndexFiguresProps {
  metrics: Metrics;
  /** Of the searches from here, oldest first. */
  tookMs: readonly number[];
}

export function IndexFigures({ metrics, tookMs }: IndexFiguresProps) {
  const figures = [
    ["Vectors", numberText(metrics.vector_count)],
    ["Dimensions", numberText(metrics.dimension)],
    ["Memory", bytesText(metrics.memory_usage_mb * 1e6)],
    ["A search", latencyText(metrics.search_latency_ms)],
    ["An addition", latencyText(metrics.add_latency_ms)],
  ] as const;
  return (
    <dl class="index-figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="figures">
            {value}
            {name === "A search" && tookMs.length > 1 && (
              <Sparkline values={tookMs} label="Times of your searches" colour="var(--mark)" />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Medians inside the node; 0 before the first. */
function latencyText(ms: number): string {
  if (ms === 0) return "none yet";
  return ms < 1 ? `${Math.max(1, Math.round(ms * 1000))} µs` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}
