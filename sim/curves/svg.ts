/** One line of a chart: positive values by fleet size. */
export type Series = {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
};

export type Chart = {
  readonly title: string;
  readonly yLabel: string;
  /** The scale of y. x is logarithmic. */
  readonly scale: "log" | "linear";
  readonly series: readonly Series[];
  readonly tick: (value: number) => string;
};

/** All charts have the same size, so that they align. */
const chartWidth = 900;
const height = 470;
const plot = { left: 92, top: 56, right: 610, bottom: 410 };
const legendBox = { left: 634, top: 72, line: 27 };

/** Hues and dashes that differ on light and dark backgrounds (after Okabe and Ito, with a darker yellow). */
const hues = ["#8a8f98", "#d0782a", "#b0569b", "#3f8fd2", "#2f9e83", "#e0483e"];
/** A medium gray is readable on both backgrounds. */
const ink = "#7d8590";
const font = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";
const gridLines = 5;

type Axis = { readonly ticks: readonly number[]; readonly at: (value: number) => number };

/** A chart as an SVG file without a background, for light and dark pages. */
export function svgOf(chart: Chart): string {
  const xs = chart.series.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = chart.series.flatMap(({ points }) => points.map(({ y }) => y));
  const x = logAxis(xs, plot.left, plot.right);
  const y =
    chart.scale === "log" ? logAxis(ys, plot.bottom, plot.top) : linearAxis(ys, plot.bottom, plot.top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${chartWidth} ${height}" width="${chartWidth}" height="${height}" font-family="${font}" font-size="13" fill="${ink}" role="img" aria-label="${escaped(chart.title)}">`,
    `<text x="${plot.left}" y="28" font-size="17" font-weight="600">${escaped(chart.title)}</text>`,
    ...y.ticks.map((tick) => horizontal(y.at(tick), chart.tick(tick))),
    ...x.ticks.map((tick) => vertical(x.at(tick), tick.toLocaleString("en-US"))),
    `<text x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 46}" text-anchor="middle">devices in the fleet</text>`,
    `<text transform="translate(22 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(chart.yLabel)}</text>`,
    ...chart.series.map((series, index) => drawn(series, index, x, y)),
    ...chart.series.map(({ name }, index) => legend(name, index)),
    "</svg>",
    "",
  ].join("\n");
}

function drawn({ points }: Series, index: number, x: Axis, y: Axis): string {
  const at = points.map((point) => `${fixed(x.at(point.x))},${fixed(y.at(point.y))}`).join(" ");
  return `<polyline points="${at}" fill="none" ${stroke(index)}/>`;
}

function legend(name: string, index: number): string {
  const at = legendBox.top + index * legendBox.line;
  return `<line x1="${legendBox.left}" x2="${legendBox.left + 34}" y1="${at}" y2="${at}" ${stroke(index)}/><text x="${legendBox.left + 42}" y="${at + 4.5}">${escaped(name)}</text>`;
}

/** The second half of the series has affinity: the same hues, dashed. */
function stroke(index: number): string {
  const dash = index >= hues.length ? ' stroke-dasharray="7 5"' : "";
  const hue = hues[index % hues.length] ?? ink;
  const width = index % hues.length === hues.length - 1 ? 3.5 : 2;
  return `stroke="${hue}" stroke-width="${width}" stroke-linejoin="round"${dash}`;
}

function horizontal(at: number, label: string): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${fixed(at)}" y2="${fixed(at)}" stroke="${ink}" stroke-opacity="0.3"/><text x="${plot.left - 10}" y="${fixed(at + 4.5)}" text-anchor="end">${escaped(label)}</text>`;
}

function vertical(at: number, label: string): string {
  return `<line x1="${fixed(at)}" x2="${fixed(at)}" y1="${plot.top}" y2="${plot.bottom}" stroke="${ink}" stroke-opacity="0.15"/><text x="${fixed(at)}" y="${plot.bottom + 22}" text-anchor="middle">${label}</text>`;
}

/** A line for each power of ten that the values lie between. */
function logAxis(values: readonly number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  return { ticks, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
}

/** From 0 to 1: shares. */
function linearAxis(_values: readonly number[], from: number, to: number): Axis {
  const ticks = Array.from({ length: gridLines + 1 }, (_, step) => step / gridLines);
  return { ticks, at: (value) => from + value * (to - from) };
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
