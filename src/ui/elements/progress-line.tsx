/** A thin bar: how much is done, or that it is not known. Called by imports and waits. */
import "./progress-line.css";

export function ProgressLine({ fraction, label }: { fraction: number | undefined; label: string }) {
  const percent = fraction === undefined ? undefined : Math.round(fraction * 100);
  return (
    <div
      class={`progress-line${percent === undefined ? " unknown" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <span style={percent === undefined ? undefined : { transform: `scaleX(${fraction})` }} />
    </div>
  );
}
