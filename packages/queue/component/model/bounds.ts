import type { PaginationOptions } from "convex/server";
import { convexToJson, type Value } from "convex/values";
import { isStreamCursor } from "../../shared/stream-cursor.ts";
import { refuse } from "./refuse.ts";

const maxNameChars = 255;

/** The latest time that anything is scheduled for. Convex accepts up to five years. */
export const farthestMs = 4 * 366 * 24 * 3_600_000;

/** Checks a name from outside: 1 to 255 UTF-16 units of well-formed Unicode. */
export function boundedName(value: string, what: string): void {
  if (value === "" || value.length > maxNameChars) {
    refuse("invalid", `${what} must have 1 to ${String(maxNameChars)} characters.`);
  }
  wellFormed(value, what);
}

/** Refuses text with half of a surrogate pair. It has no UTF-8 form and would be stored as something else. */
export function wellFormed(text: string, what: string): void {
  if (/\p{Surrogate}/u.test(text)) refuse("invalid", `${what} must be well-formed Unicode.`);
}

/** Shortens text that is only shown, such as an error's message, and keeps it well-formed. It is never refused. */
export function clip(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/\p{Surrogate}/gu, "\u{FFFD}");
}

/** Checks a number from outside. NaN is always refused. */
export function boundedNumber(value: number, what: string, min: number, max: number): void {
  if (!(value >= min && value <= max)) {
    refuse("invalid", `${what} must be from ${String(min)} to ${String(max)}.`);
  }
}

export function boundedInteger(value: number, what: string, min: number, max: number): void {
  if (!Number.isInteger(value)) refuse("invalid", `${what} must be a whole number.`);
  boundedNumber(value, what, min, max);
}

/** The length of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** The size of the value's JSON in bytes, or that of plain bytes. The limits in the settings refer to this size. */
export function sizeOf(value: Value): number {
  if (value instanceof ArrayBuffer) return value.byteLength;
  return byteLength(JSON.stringify(convexToJson(value)));
}

/** Refuses a value whose JSON is larger than `maxBytes`. */
export function boundedSize(value: Value, what: string, maxBytes: number): void {
  const bytes = sizeOf(value);
  if (bytes > maxBytes) {
    refuse("too_large", `${what} has ${String(bytes)} bytes. At most ${String(maxBytes)} are allowed.`);
  }
}

const maxContextBytes = 4_096;

/** Checks the context of a job or a batch. Refuses: too_large. */
export function boundedContext(context: Value | undefined): void {
  if (context !== undefined) boundedSize(context, "context", maxContextBytes);
}

const maxHandleChars = 1_024;

/** Checks the handle of an app's function. Refuses: invalid. */
export function boundedHandle(handle: string | undefined, what: string): void {
  if (handle !== undefined && handle.length > maxHandleChars) {
    refuse("invalid", `${what} must be a function handle.`);
  }
}

const maxPage = 100;
/** A page that must reach a given end may be longer than `maxPage`, but not longer than this. */
const maxPageRows = 1_000;
const maxCursorChars = 10_000;

/** Limits the size of a page from outside, and checks its cursors. Refuses: invalid. */
export function boundedPage({ cursor, endCursor, numItems }: PaginationOptions): PaginationOptions {
  checkCursor(cursor);
  checkCursor(endCursor ?? null);
  return {
    cursor,
    ...(endCursor === undefined ? {} : { endCursor }),
    numItems: Math.max(1, Math.min(maxPage, Math.floor(numItems) || 1)),
    maximumRowsRead: maxPageRows,
  };
}

function checkCursor(cursor: string | null): void {
  if (cursor === null || (cursor.length <= maxCursorChars && isStreamCursor(cursor))) return;
  refuse("invalid", "This cursor is not one that the list returned. Start with null.");
}
