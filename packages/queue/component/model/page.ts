import type { PaginationOptions } from "convex/server";

const maxPage = 100;

/** A page that was asked for from outside, bounded. */
export function boundedPage(options: PaginationOptions): PaginationOptions {
  return { ...options, numItems: Math.max(1, Math.min(maxPage, Math.floor(options.numItems) || 1)) };
}
