import type { PolicyFigures } from "./figures-of.ts";

const columns: readonly [string, (figures: PolicyFigures) => string][] = [
  ["p50 ms", ({ p50 }) => whole(p50)],
  ["p95 ms", ({ p95 }) => whole(p95)],
  ["conflicts/job", ({ conflictsPerJob }) => conflictsPerJob.toFixed(3)],
  ["steals/job", ({ stealsPerJob }) => stealsPerJob.toFixed(2)],
  ["idle while waiting", ({ idleWhileWaiting }) => `${(idleWhileWaiting * 100).toFixed(2)} %`],
  ["cache hits", ({ cacheHits }) => `${(cacheHits * 100).toFixed(1)} %`],
];

export function table(policies: { readonly [name: string]: PolicyFigures }, winner: string): string {
  const rows = Object.entries(policies).map(([name, figures]) => [
    name === winner ? `${name} *` : name,
    ...columns.map(([, cell]) => cell(figures)),
  ]);
  const head = ["policy", ...columns.map(([title]) => title)];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  return [line(head), ...rows.map(line)].join("\n");
}

function whole(ms: number): string {
  return Math.round(ms).toLocaleString("en-US");
}
