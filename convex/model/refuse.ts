import { isStreamCursor } from "@gleaner/queue/validators";
import type { PaginationOptions } from "convex/server";
import { ConvexError } from "convex/values";
import { isVisible, visibleText } from "../../app/format/visible.ts";
import type { Id } from "../_generated/dataModel.js";

/** Why a call is refused. Clients read it in a ConvexError's data. */
export type RefusalCode =
  | "unauthorized"
  | "forbidden"
  /** The member must prove again who they are. */
  | "proof_needed"
  /** The organization asks for a second factor, and the session has none. */
  | "second_factor_needed"
  | "revoked"
  /** The API key's time is over. */
  | "expired"
  /** The API key may not make calls of this kind. */
  | "scope_missing"
  /** The API key may not be used from the caller's address. */
  | "address_not_allowed"
  /** The organization does not allow the page of a browser that calls. */
  | "origin_not_allowed"
  | "retired"
  | "not_found"
  | "invalid"
  | "quota_exceeded"
  | "too_large"
  /** The queue has no room for jobs with requirements that no other job has. */
  | "too_many_lanes"
  | "context_length_exceeded"
  | "model_not_found"
  | "conflict"
  | "priority_not_allowed"
  | "requirements_not_allowed"
  | "requirements_unmet"
  /** No device of the organization could answer. */
  | "no_device"
  | "rate_limited"
  | "key_restricted"
  | "queue_full"
  | "draining";

export type Refusal = {
  code: RefusalCode;
  message: string;
  /** The field of a requester's call that is wrong, as its API names it. */
  param?: string;
  /** Milliseconds after which a retry may succeed. */
  retryAfterMs?: number;
};

/** Ends the call and undoes its transaction. The client can read why. @param param the field that is wrong, of a requester's call. */
export function refuse(code: RefusalCode, message: string, param?: string): never {
  throw new ConvexError<Refusal>({ code, message, ...(param === undefined ? {} : { param }) });
}

/** Refuses for now: a retry may succeed after `retryAfterMs`. */
export function refuseUntil(
  code: "rate_limited" | "key_restricted" | "queue_full" | "draining",
  why: string,
  retryAfterMs: number,
): never {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${why} Try again in ${String(seconds)} ${seconds === 1 ? "second" : "seconds"}.`;
  throw new ConvexError<Refusal>({ code, message, retryAfterMs });
}

/**
 * Checks the owner of a row that was found by a caller's id. Every such row must pass here. Another organization's row gets
 * the same answer as a missing one.
 */
export function owned<Row extends { readonly organizationId: Id<"organizations"> }>(
  row: Row | null,
  organizationId: Id<"organizations">,
  noun: string,
): Row {
  return row?.organizationId === organizationId ? row : refuse("not_found", `There is no such ${noun}.`);
}

/** A row that must exist, because another row names it. */
export function present<T>(row: T | null, what: string): T {
  if (row === null) throw new Error(`missing row: ${what}`);
  return row;
}

/** Trims text from outside. Refuses (invalid) empty text, hidden characters and more than `maxChars`. */
export function boundedText(value: string, what: string, maxChars: number): string {
  const trimmed = value.trim();
  if (trimmed === "") refuse("invalid", `${what} must not be empty.`);
  if (trimmed.length > maxChars)
    refuse("invalid", `${what} must have at most ${String(maxChars)} characters.`);
  checkVisible(trimmed, what);
  return trimmed;
}

/** Refuses (invalid) text with control characters or marks that change its direction. */
export function checkVisible(text: string, what: string): void {
  if (isVisible(text)) return;
  refuse("invalid", `${what} must have no control characters and no invisible marks. Type it anew.`);
}

/** The same as `boundedText` for a device's report, which nobody can correct: hidden characters are replaced. */
export function reportedText(value: string, what: string, maxChars: number): string {
  return boundedText(visibleText(value), what, maxChars);
}

/** Refuses (invalid) anything but a whole number within bounds. */
export function boundedInteger(value: number, what: string, min: number, max: number): number {
  if (isWithin(value, min, max)) return value;
  return refuse("invalid", mustBeWithin(what, min, max));
}

/** The same for a field of a requester's call, which the refusal names. */
export function askedInteger(value: number, param: string, min: number, max: number): number {
  if (isWithin(value, min, max)) return value;
  return refuse("invalid", mustBeWithin(param, min, max), param);
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function mustBeWithin(what: string, min: number, max: number): string {
  return `${what} must be a whole number from ${String(min)} to ${String(max)}.`;
}

/** Refuses (invalid) text with half a surrogate pair. It has no UTF-8, so it would be stored as other text. */
export function wellFormed(text: string, what: string): void {
  if (/\p{Surrogate}/u.test(text)) refuse("invalid", `${what} must be well-formed Unicode.`);
}

/** Checks a hash of a secret that the caller kept. Refuses: invalid. */
export function checkedHash(hash: string, what: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) refuse("invalid", `${what} must be a SHA-256 in lower-case hex.`);
  return hash;
}

/** The rows of a page: as many as were asked for, from 1 to `most`. */
export function pageSize(numItems: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(numItems) || 1));
}

/** The page that a caller asks for, of at most `most` rows. Other options of callers are left out: some let a query fail. */
export function boundedPage(
  { numItems, cursor, endCursor }: PaginationOptions,
  most: number,
): PaginationOptions {
  return {
    numItems: pageSize(numItems, most),
    cursor,
    ...(endCursor === undefined ? {} : { endCursor }),
  };
}

/** Checks the cursors of a page of a stream, which come from outside. Refuses: invalid. */
export function checkCursors({ cursor, endCursor }: PaginationOptions): void {
  for (const each of [cursor, endCursor ?? null]) {
    if (each === null || isStreamCursor(each)) continue;
    refuse("invalid", "This cursor is not one that the list returned. Start with null.");
  }
}
