type Point = { readonly x: number; readonly y: number };

/** One line of a chart. */
export type Series = {
  readonly name: string;
  readonly points: readonly Point[];
  readonly dashed?: boolean;
  /** It is drawn thicker. */
  readonly strong?: boolean;
  /** A dot in the line's hue. */
  readonly mark?: Point;
};

/** `log`: positive values, from a power of ten to another. `share`: from 0 to 1. */
export type Scale = {
  readonly label: string;
  readonly scale: "log" | "share";
  readonly tick: (value: number) => string;
};

export type Chart = {
  readonly title: string;
  readonly x: Scale;
  readonly y: Scale;
  readonly series: readonly Series[];
  /** A line below the names of the series. */
  readonly note?: string;
};

/** All charts have the same size, so that they align. */
const chartWidth = 900;
const height = 470;
const plot = { left: 92, top: 56, right: 610, bottom: 410 };
const legendBox = { left: 634, top: 72, line: 27 };
const markRadius = 4.5;

/** One for each series, and then again. Hues that differ on light and dark backgrounds (after Okabe and Ito, with a darker yellow). */
const hues = ["#8a8f98", "#d0782a", "#b0569b", "#3f8fd2", "#2f9e83", "#e0483e"];
/** A medium gray is readable on both backgrounds. */
const ink = "#7d8590";
const font = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";
const gridLines = 5;

type Axis = { readonly ticks: readonly number[]; readonly at: (value: number) => number };

/** A chart as an SVG file without a background, for light and dark pages. */
export function svgOf(chart: Chart): string {
  const points = chart.series.flatMap((series) => series.points);
  const x = axisOf(
    chart.x,
    points.map((point) => point.x),
    plot.left,
    plot.right,
  );
  const y = axisOf(
    chart.y,
    points.map((point) => point.y),
    plot.bottom,
    plot.top,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${chartWidth} ${height}" width="${chartWidth}" height="${height}" font-family="${font}" font-size="13" fill="${ink}" role="img" aria-label="${escaped(chart.title)}">`,
    `<text x="${plot.left}" y="28" font-size="17" font-weight="600">${escaped(chart.title)}</text>`,
    ...y.ticks.map((tick) => horizontal(y.at(tick), chart.y.tick(tick))),
    ...x.ticks.map((tick) => vertical(x.at(tick), chart.x.tick(tick))),
    `<text x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 46}" text-anchor="middle">${escaped(chart.x.label)}</text>`,
    `<text transform="translate(22 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(chart.y.label)}</text>`,
    ...chart.series.map((series, index) => drawn(series, strokeOf(series, index), x, y)),
    ...chart.series.map((series, index) => legend(series.name, index, strokeOf(series, index))),
    ...(chart.note === undefined ? [] : [legendText(chart.note, chart.series.length, legendBox.left)]),
    "</svg>",
    "",
  ].join("\n");
}

type Stroke = { readonly hue: string; readonly attributes: string };

function drawn({ points, mark }: Series, { hue, attributes }: Stroke, x: Axis, y: Axis): string {
  const at = points.map((point) => `${fixed(x.at(point.x))},${fixed(y.at(point.y))}`).join(" ");
  const line = `<polyline points="${at}" fill="none" ${attributes}/>`;
  if (mark === undefined) return line;
  return `${line}<circle cx="${fixed(x.at(mark.x))}" cy="${fixed(y.at(mark.y))}" r="${markRadius}" fill="${hue}"/>`;
}

function legend(name: string, index: number, { attributes }: Stroke): string {
  const at = legendBox.top + index * legendBox.line;
  return `<line x1="${legendBox.left}" x2="${legendBox.left + 34}" y1="${at}" y2="${at}" ${attributes}/>${legendText(name, index, legendBox.left + 42)}`;
}

function legendText(text: string, index: number, x: number): string {
  return `<text x="${x}" y="${legendBox.top + index * legendBox.line + 4.5}">${escaped(text)}</text>`;
}

function strokeOf({ dashed = false, strong = false }: Series, index: number): Stroke {
  const hue = hues[index % hues.length] ?? ink;
  const dash = dashed ? ' stroke-dasharray="7 5"' : "";
  return {
    hue,
    attributes: `stroke="${hue}" stroke-width="${strong ? 3.5 : 2}" stroke-linejoin="round"${dash}`,
  };
}

function horizontal(at: number, label: string): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${fixed(at)}" y2="${fixed(at)}" stroke="${ink}" stroke-opacity="0.3"/><text x="${plot.left - 10}" y="${fixed(at + 4.5)}" text-anchor="end">${escaped(label)}</text>`;
}

function vertical(at: number, label: string): string {
  return `<line x1="${fixed(at)}" x2="${fixed(at)}" y1="${plot.top}" y2="${plot.bottom}" stroke="${ink}" stroke-opacity="0.15"/><text x="${fixed(at)}" y="${plot.bottom + 22}" text-anchor="middle">${label}</text>`;
}

function axisOf({ scale }: Scale, values: readonly number[], from: number, to: number): Axis {
  return scale === "log" ? logAxis(values, from, to) : shareAxis(from, to);
}

/** A line for each power of ten that the values lie between. */
function logAxis(values: readonly number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  return { ticks, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
}

function shareAxis(from: number, to: number): Axis {
  const ticks = Array.from({ length: gridLines + 1 }, (_, step) => step / gridLines);
  return { ticks, at: (value) => from + value * (to - from) };
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
