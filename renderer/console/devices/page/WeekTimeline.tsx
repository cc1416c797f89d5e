import type { ReactNode } from "react";
import { formatDay, formatDuration } from "../../../../app/format/time.ts";
import { cx } from "../../../ui/cx.ts";
import type { DeviceSpan } from "../../data/rows.ts";
import {
  colorOf,
  dayWords,
  type ReasonTotal,
  type Segment,
  segmentWords,
  type SpanColor,
  standbyTotals,
  type TimelineDay,
  timelineOf,
} from "./week-timeline.ts";

type Props = { readonly spans: readonly DeviceSpan[]; readonly now: number };

const shownReasons = 6;

/** A device's week: when it donated, and why it did not. */
export function WeekTimeline({ spans, now }: Props): ReactNode {
  const days = timelineOf(spans, now);
  const totals = standbyTotals(days);
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1.5">
        <ul className="col-span-3 grid grid-cols-subgrid gap-y-1.5">
          {days.map((day) => (
            <li key={day.startAt} className="col-span-3 grid grid-cols-subgrid items-center">
              <span className="text-xs text-muted">{formatDay(day.startAt)}</span>
              <DayBar day={day} totals={totals} />
              <span className="text-right text-xs whitespace-nowrap text-muted tabular-nums">
                {day.segments.length === 0 ? "–" : formatDuration(day.donatedMs)}
              </span>
            </li>
          ))}
        </ul>
        <p className="col-start-2 flex justify-between text-xs text-faint" aria-hidden>
          <span>00:00</span>
          <span>12:00</span>
          <span>24:00</span>
        </p>
      </div>
      <p className="flex items-center gap-1.5" aria-hidden>
        <Swatch color="accent" />
        Donated
      </p>
      {totals.length === 0 ? null : (
        <div>
          <h3 className="mb-1 text-xs font-medium text-muted">Why it did not donate</h3>
          <ul className="flex flex-wrap gap-x-4 gap-y-1">
            {totals.slice(0, shownReasons).map(({ words, state, ms, color }) => (
              <li key={`${state} ${words}`} className="flex items-center gap-1.5">
                <Swatch color={color} />
                {words} <span className="text-muted">{formatDuration(ms)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Swatch({ color }: { readonly color: SpanColor }): ReactNode {
  return (
    <svg aria-hidden viewBox="0 0 10 10" className="size-2.5 shrink-0">
      <rect width="10" height="10" rx="2" className={cx("fill-current", textColor[color])} />
    </svg>
  );
}

type BarProps = { readonly day: TimelineDay; readonly totals: readonly ReasonTotal[] };

function DayBar({ day, totals }: BarProps): ReactNode {
  const place = (segment: Segment): { x: number; width: number } => {
    const whole = day.endAt - day.startAt;
    return {
      x: ((segment.from - day.startAt) / whole) * 100,
      width: Math.max(0.3, ((segment.to - segment.from) / whole) * 100),
    };
  };
  return (
    <svg
      role="img"
      aria-label={dayWords(day)}
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      className="h-4 w-full rounded-sm bg-sunken"
    >
      {day.segments.map((segment) => (
        <rect
          key={segment.from}
          {...place(segment)}
          y="0"
          height="10"
          className={cx("fill-current", textColor[colorOf(totals, segment)])}
        >
          <title>{segmentWords(segment)}</title>
        </rect>
      ))}
    </svg>
  );
}

const textColor = {
  accent: "text-accent",
  bad: "text-bad",
  edge: "text-edge",
  hold: "text-hold",
  line: "text-line",
  rest: "text-rest",
} as const satisfies Readonly<Record<SpanColor, string>>;
