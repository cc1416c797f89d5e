import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { cx } from "../../ui/cx.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { JobRow } from "./JobRow.tsx";
import { countOf, type Pages, rowAt, type Visible } from "./pages.ts";
import { placeAfter, rowHeight, scrolledTo, visibleRows } from "./visible-rows.ts";

type Props = {
  readonly list: Pages;
  /** The same job with newer facts, if there are any. */
  readonly latest: (row: HistoryRow) => HistoryRow;
  readonly chosen: number | null;
  readonly onChoose: (place: number) => void;
  readonly onVisible: (visible: Visible) => void;
  readonly onTop: (isAtTop: boolean) => void;
};

/** The list is not higher than this; pixels. */
const mostHeight = 7 * rowHeight;

/** A list of any length, of which only the rows in view are in the page. The list has the focus, and arrow keys choose a job. */
export function JobList({ list, latest, chosen, onChoose, onVisible, onTop }: Props): ReactNode {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const count = countOf(list);
  // The last row says that more are loaded.
  const places = count + (list.next === null ? 0 : 1);
  const height = Math.min(mostHeight, places * rowHeight);
  const { first, end } = visibleRows(scrolled, height, places);
  useEffect(() => onVisible({ first, end }), [onVisible, first, end]);
  const isAtTop = scrolled < rowHeight;
  useEffect(() => onTop(isAtTop), [onTop, isAtTop]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, chosen, count, Math.floor(height / rowHeight));
    if (next === null || box.current === null) return;
    event.preventDefault();
    onChoose(next);
    const top = scrolledTo(next, box.current.scrollTop, height);
    box.current.scrollTop = top;
    // The chosen row is drawn with it, before the browser tells of the scrolling.
    setScrolled(top);
  };
  const isDrawn = chosen !== null && chosen >= first && chosen < end;
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label="Jobs, newest first. Arrow keys choose one."
      aria-activedescendant={isDrawn ? `${id}-${String(chosen)}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
      style={{ height }}
      className="overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
    >
      <div role="presentation" className="relative" style={{ height: places * rowHeight }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).map((place) => {
          const row = rowAt(list, place);
          return (
            <div
              key={place}
              id={`${id}-${String(place)}`}
              role="option"
              aria-selected={place === chosen}
              aria-posinset={place + 1}
              aria-setsize={list.next === null ? count : -1}
              aria-label={row === null ? "Loading" : undefined}
              onClick={() => onChoose(place)}
              style={{ top: place * rowHeight, height: rowHeight }}
              className={cx(
                "absolute inset-x-0 cursor-pointer border-b border-line",
                place === chosen ? "bg-accent-tint" : "hover:bg-sunken",
              )}
            >
              {row === null ? <Loading /> : <JobRow row={latest(row)} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Loading(): ReactNode {
  return (
    <div className="grid h-full content-center gap-2 px-4">
      <Skeleton className="h-3.5 w-3/5" />
      <Skeleton className="h-3 w-2/5" />
    </div>
  );
}
