import { windowMsOf } from "../../app/batches/parse-batch.ts";
import { formatMoment } from "../../app/format/time.ts";
import { usageError } from "../command/arguments.ts";

/* The options and the words that jobs and batches share. */

export const pageOptions = { limit: { type: "string", default: "20" }, after: { type: "string" } } as const;

export const pageUsage = `  --limit N              how many are listed, from 1 to 100 (default: 20)
  --after ID             list those that are older than this one`;

/** The query of a page of at most `most` items. Throws a usage error for another limit. */
export function pageQuery(
  flags: { readonly limit: string; readonly after?: string | undefined },
  usage: string,
  most = 100,
): string {
  if (!/^[1-9]\d{0,2}$/.test(flags.limit) || Number(flags.limit) > most)
    throw usageError(`--limit must be a number from 1 to ${String(most)}.`, usage);
  const query = new URLSearchParams({ limit: flags.limit });
  if (flags.after !== undefined) query.set("after", flags.after);
  return query.toString();
}

/** A moment in seconds since the epoch, as the API has them, in words. */
export function momentOf(seconds: number): string {
  return formatMoment(seconds * 1_000, Date.now());
}

/** Why the request of a wrong answer is not answered again yet; null if that is not postponed. */
export function postponedWords(
  postponed: { readonly why: string; readonly next_at: number } | null | undefined,
): string | null {
  if (postponed === null || postponed === undefined) return null;
  return `${postponed.why} Next try: ${momentOf(postponed.next_at)}.`;
}

/** Throws a usage error for a time in which no batch can be done, before a file is sent. */
export function checkWindow(within: string, usage: string): void {
  if (windowMsOf(within) === null) throw usageError("--within must be from 1h to 7d, such as 24h.", usage);
}
