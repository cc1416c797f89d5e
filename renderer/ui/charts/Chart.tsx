import "uplot/dist/uPlot.min.css";
import { type ReactNode, useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatClock, formatDay, formatFull } from "../../../app/format/time.ts";
import { cx } from "../cx.ts";

export type Line = {
  readonly label: string;
  /** A color of tokens.css. */
  readonly color: "accent" | "bad" | "hold" | "rest";
  /** One for each time. Null leaves a gap. */
  readonly values: readonly (number | null)[];
};

type Props = {
  /** What the chart shows, for screen readers. The values have to be on the page as text, too. */
  readonly label: string;
  /** ms since the epoch, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** How the legend names a time. */
  readonly formatTime?: (at: number) => string;
};

const height = 205;
/** Values on the axis are whole. */
const steps = [1, 2, 5].flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power));
steps.sort((a, b) => a - b);
const day = 86_400;
/** Seconds between the times on the axis, for values of whole days. */
const daySteps = [1, 2, 7, 14, 28, 91].map((days) => days * day);

/**
 * uPlot sets fonts, colons and a centered legend of its own. The values of a point stand in the legend while the cursor is
 * there: they have a second line of room, so that nothing below moves.
 */
const frame = cx(
  "min-h-62 text-xs [&_.uplot]:font-sans!",
  "[&_.u-legend]:m-0! [&_.u-legend]:text-left! [&_.u-legend]:text-xs!",
  "[&_.u-legend_th]:font-normal! [&_.u-legend_th]:after:content-none! [&_.u-legend_td]:font-medium!",
  "[&_.u-series:first-child_th]:hidden!",
);

/** Lines over time. It follows the width of its box, and the light or dark theme. */
export function Chart({ label, times, lines, format, formatTime = formatFull }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [
      times.map((at) => at / 1_000),
      ...lines.map(({ values }) => [...values]),
    ];
    let chart: uPlot | null = null;
    const draw = (): void => {
      chart?.destroy();
      chart = new uPlot(optionsOf(element, data[0], lines, { format, formatTime }), data, element);
    };
    draw();
    const theme = window.matchMedia("(prefers-color-scheme: dark)");
    theme.addEventListener("change", draw);
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      theme.removeEventListener("change", draw);
      resized.disconnect();
      chart?.destroy();
    };
  }, [times, lines, format, formatTime]);
  return <div ref={box} role="img" aria-label={label} className={frame} />;
}

function optionsOf(
  element: HTMLElement,
  times: uPlot.AlignedData[0],
  lines: readonly Line[],
  { format, formatTime }: Required<Pick<Props, "format" | "formatTime">>,
): uPlot.Options {
  const { fontFamily } = getComputedStyle(element);
  const [first = 0, second = 0] = times;
  // Values of whole days have no hours. A day with a change of the clock may be an hour shorter.
  const timeSteps = second - first >= day - 3_600 ? { incrs: daySteps } : {};
  const axis: uPlot.Axis = {
    stroke: colorOf(element, "muted"),
    font: `11px ${fontFamily}`,
    grid: { stroke: colorOf(element, "line"), width: 1 },
    ticks: { show: false },
  };
  // Without a value above zero the scale has no unit: its 1 could be a millionth of a credit.
  const isFlat = lines.every(({ values }) => values.every((value) => value === null || value <= 0));
  return {
    width: element.clientWidth,
    height,
    scales: { y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        ...timeSteps,
        size: 30,
        gap: 9,
        values: (_chart, splits) => splits.map((seconds) => tickOf(seconds * 1_000)),
      },
      {
        ...axis,
        size: 64,
        incrs: steps,
        values: (_chart, splits) => splits.map((value) => (isFlat && value > 0 ? "" : format(value))),
      },
    ],
    cursor: { drag: { x: false, y: false } },
    legend: {
      markers: { width: 0, fill: (_chart, place) => colorOf(element, lines[place - 1]?.color ?? "muted") },
    },
    series: [
      {
        label: "Time",
        value: (_chart, seconds: number | null) => (seconds === null ? "" : formatTime(seconds * 1_000)),
      },
      ...lines.map((line): uPlot.Series => ({
        label: line.label,
        stroke: colorOf(element, line.color),
        width: 2,
        points: { show: true, size: 5, fill: colorOf(element, line.color) },
        value: (_chart, value: number | null, _place, point) =>
          value !== null ? format(value) : point === null ? "" : "–",
      })),
    ],
  };
}

/** "14:05", or the day at its beginning. */
function tickOf(at: number): string {
  const clock = formatClock(at);
  return clock === "00:00" ? formatDay(at) : clock;
}

/** The color that a token has in this theme, as a canvas needs it. */
function colorOf(element: HTMLElement, token: Line["color"] | "muted" | "line"): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--color-${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
