import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { formatDuration, formatMinuteOfDay, formatWeekday } from "../../../app/format/time.ts";
import { cx } from "../../ui/cx.ts";
import { type Look, lookClasses, lookOf, looks, lookWords } from "./looks.ts";
import { moved } from "./move.ts";
import { dayTitle, shortWords, spanLabel, spanSentence, spanTime } from "./span-text.ts";
import type { Day, DaySpan } from "./week.ts";

type Place = { readonly day: Day; readonly span: DaySpan };

/** A bar for each day. The pointer or the arrow keys choose a part of it, whose time and reason stand below. */
export function Timeline({ week }: { readonly week: readonly Day[] }): ReactNode {
  const id = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const last = week.flatMap(({ spans }) => spans).reduce((most, { from }) => Math.max(most, from), 0);
  const active = placeAt(week, chosen ?? last);
  const shown = pointed === null ? active : placeAt(week, pointed);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(week, chosen ?? last, event.key);
    if (next === null) return;
    event.preventDefault();
    setPointed(null);
    setChosen(next);
  };
  const idOf = (span: DaySpan): string => `${id}-${String(span.from)}`;
  return (
    <>
      <Legend week={week} />
      <div aria-hidden className="mb-1 ml-13 flex justify-between text-xs text-muted">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{formatMinuteOfDay(hour * 60)}</span>
        ))}
      </div>
      <div
        role="listbox"
        tabIndex={0}
        aria-label="The week, by day. Arrow keys choose a time."
        aria-orientation="horizontal"
        aria-activedescendant={active === null ? undefined : idOf(active.span)}
        onKeyDown={onKeyDown}
        onPointerLeave={() => setPointed(null)}
        className="grid gap-1.5 rounded-sm outline-offset-4"
      >
        {week.map((day, back) => (
          <div key={day.from} role="group" aria-label={dayTitle(day)} className="flex items-end gap-2">
            <span aria-hidden className="w-11 shrink-0 truncate text-xs leading-6 text-muted">
              {back === 0 ? "Today" : formatWeekday(day.from)}
            </span>
            <div className="flex h-6 min-w-0 flex-1 items-end border-b border-line">
              {day.spans.map((span) => (
                <div
                  key={span.from}
                  id={idOf(span)}
                  role="option"
                  aria-selected={span === active?.span}
                  aria-label={spanLabel(span, day)}
                  onPointerEnter={() => setPointed(span.from)}
                  onClick={() => setChosen(span.from)}
                  style={{ flexGrow: span.to - span.from }}
                  className={cx(
                    "flex h-full min-w-0.5 basis-0 cursor-pointer items-end",
                    span === shown?.span && "outline-2 outline-ink",
                  )}
                >
                  <span className={cx("w-full", lookClasses[lookOf(span)])} />
                </div>
              ))}
              <Rest day={day} />
            </div>
          </div>
        ))}
      </div>
      {shown === null ? null : <Detail place={shown} />}
    </>
  );
}

/** The part of the day that is still to come. */
function Rest({ day }: { readonly day: Day }): ReactNode {
  const ms = day.to - (day.spans.at(-1)?.to ?? day.from);
  return ms > 0 ? <span style={{ flexGrow: ms }} className="basis-0" /> : null;
}

function Legend({ week }: { readonly week: readonly Day[] }): ReactNode {
  const there = new Set<Look>(week.flatMap(({ spans }) => spans.map(lookOf)));
  return (
    <ul aria-label="Legend" className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {looks
        .filter((look) => there.has(look))
        .map((look) => (
          <li key={look} className="flex items-center gap-1.5">
            <span aria-hidden className="flex h-3.5 w-4 items-end">
              <span className={cx("w-full", lookClasses[look])} />
            </span>
            {lookWords[look]}
          </li>
        ))}
    </ul>
  );
}

/** Keeps its height, so that the page does not move while the pointer does. */
function Detail({ place: { day, span } }: { readonly place: Place }): ReactNode {
  return (
    <div data-testid="span-detail" className="mt-3 min-h-22 rounded-md bg-sunken px-3 py-2">
      <p className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
        <span>
          {dayTitle(day)}, {spanTime(span, day)}
        </span>
        <span>{formatDuration(span.to - span.from)}</span>
      </p>
      <p className="font-medium">{shortWords(span)}</p>
      <p className="text-muted">{spanSentence(span)}</p>
    </div>
  );
}

function placeAt(week: readonly Day[], at: number): Place | null {
  for (const day of week) {
    const span = day.spans.find(({ from, to }) => at >= from && at < to);
    if (span !== undefined) return { day, span };
  }
  return null;
}
