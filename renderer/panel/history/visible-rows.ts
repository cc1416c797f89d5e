import type { Visible } from "./pages.ts";

/** All rows have this height, so that the place of each is known; pixels. */
export const rowHeight = 56;
/** Rows beyond the edges that are drawn, so that scrolling shows no gap. */
const extra = 8;

/** The rows that a scrolled box shows, and some more. @param scrolled pixels above the box. @param height of the box. */
export function visibleRows(scrolled: number, height: number, count: number): Visible {
  const first = Math.floor(Math.max(0, scrolled) / rowHeight) - extra;
  const end = Math.ceil((Math.max(0, scrolled) + height) / rowHeight) + extra;
  return { first: Math.max(0, Math.min(first, count)), end: Math.min(end, count) };
}

/** How far the box has to be scrolled so that a whole row is in view. */
export function scrolledTo(place: number, scrolled: number, height: number): number {
  const top = place * rowHeight;
  if (top < scrolled) return top;
  return top + rowHeight > scrolled + height ? top + rowHeight - height : scrolled;
}

/** The row that a key leads to. Null: the key is for something else. @param page rows in view. */
export function placeAfter(key: string, place: number | null, count: number, page: number): number | null {
  const within = (next: number): number => Math.max(0, Math.min(count - 1, next));
  if (count === 0) return null;
  switch (key) {
    case "ArrowDown":
      return place === null ? 0 : within(place + 1);
    case "ArrowUp":
      return place === null ? 0 : within(place - 1);
    case "PageDown":
      return within((place ?? 0) + page);
    case "PageUp":
      return within((place ?? 0) - page);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
