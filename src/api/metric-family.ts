/** One metric family as Prometheus text. Called by metrics, of node and index. Source: exposition format 0.0.4. */

export function metricFamily(
  name: string,
  type: "gauge" | "counter",
  help: string,
  samples: [labels: string, value: number][],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
