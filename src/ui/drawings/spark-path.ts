/** The line of a sparkline as an SVG path, and the same closed to an area. Called by sparkline; calls nothing. */

export interface SparkPath {
  line: string;
  area: string;
}

/** Values from 0 up, oldest first, spread over the width; the highest touches the top. Empty for none. */
export function sparkPath(values: readonly number[], width: number, height: number): SparkPath {
  if (values.length === 0) return { line: "", area: "" };
  const highest = Math.max(...values, Number.MIN_VALUE);
  const step = values.length === 1 ? 0 : width / (values.length - 1);
  const points = values.map((value, index) => {
    const share = Math.max(value, 0) / highest;
    return `${round(index * step)} ${round(height - share * height)}`;
  });
  const line = `M${points.join("L")}`;
  return { line, area: `${line}V${height}H0Z` };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
