import { formatMoment } from "../../app/format/time.ts";

/* The options and the words that all lists of the API share. */

export const pageOptions = { limit: { type: "string", default: "20" }, after: { type: "string" } } as const;

export const pageUsage = `  --limit N              how many are listed, from 1 to 100 (default: 20)
  --after ID             list those that are older than this one`;

/** The query of a page. The server checks it. */
export function pageQuery(flags: { readonly limit: string; readonly after?: string | undefined }): string {
  const query = new URLSearchParams({ limit: flags.limit });
  if (flags.after !== undefined) query.set("after", flags.after);
  return query.toString();
}

/** A moment in seconds since the epoch, as the API has them, in words. */
export function momentOf(seconds: number): string {
  return formatMoment(seconds * 1_000, Date.now());
}
