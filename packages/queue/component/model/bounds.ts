import type { PaginationOptions } from "convex/server";
import { convexToJson, type Value } from "convex/values";
import { refuse } from "./refuse.ts";

const maxNameChars = 255;

/** So far ahead anything is scheduled: Convex takes five years. */
export const farthestMs = 4 * 366 * 24 * 3_600_000;

/** A name from outside: 1 to 255 UTF-16 units of well-formed Unicode. */
export function boundedName(value: string, what: string): void {
  if (value === "" || value.length > maxNameChars) {
    refuse("invalid", `${what} must have 1 to ${String(maxNameChars)} characters.`);
  }
  wellFormed(value, what);
}

/** Refuses text with half a surrogate pair in it: it has no UTF-8, and would come out as something else. */
export function wellFormed(text: string, what: string): void {
  if (/\p{Surrogate}/u.test(text)) refuse("invalid", `${what} must be well-formed Unicode.`);
}

/** As much of a text as is kept, well-formed: for what is shown, and never refused, such as an error's message. */
export function clip(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/\p{Surrogate}/gu, "\u{FFFD}");
}

/** A number from outside, within bounds; NaN is in none. */
export function boundedNumber(value: number, what: string, min: number, max: number): void {
  if (!(value >= min && value <= max)) {
    refuse("invalid", `${what} must be from ${String(min)} to ${String(max)}.`);
  }
}

export function boundedInteger(value: number, what: string, min: number, max: number): void {
  if (!Number.isInteger(value)) refuse("invalid", `${what} must be a whole number.`);
  boundedNumber(value, what, min, max);
}

/** UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Bytes of the value's JSON, as the settings bound it. */
export function sizeOf(value: Value): number {
  return byteLength(JSON.stringify(convexToJson(value)));
}

/** Refuses what takes more JSON than that. */
export function boundedSize(value: Value, what: string, maxBytes: number): void {
  const bytes = sizeOf(value);
  if (bytes > maxBytes) {
    refuse("too_large", `${what} has ${String(bytes)} bytes; at most ${String(maxBytes)} are taken.`);
  }
}

const maxPage = 100;

/** A page that was asked for from outside, bounded. */
export function boundedPage(options: PaginationOptions): PaginationOptions {
  return { ...options, numItems: Math.max(1, Math.min(maxPage, Math.floor(options.numItems) || 1)) };
}
