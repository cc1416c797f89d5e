import type { PaginationOptions } from "convex/server";
import { v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { boundedPage } from "../refuse.ts";
import { archiveFacts } from "../validators/files.ts";

const maxPage = 200;

/** An archive as the console shows it. Times are ms epoch. */
export const archiveRow = v.object({
  archiveId: v.id("archives"),
  ...archiveFacts,
  at: v.number(),
  /** Whether its rows are deleted from the database. */
  isDone: v.boolean(),
  /** Why they are not. */
  problem: v.union(v.string(), v.null()),
});

/** A page of an organization's archives, newest first. */
export async function archivePage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  paginationOpts: PaginationOptions,
) {
  const page = await ctx.db
    .query("archives")
    .withIndex("by_time", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .paginate(boundedPage(paginationOpts, maxPage));
  return {
    ...page,
    page: page.page.map(({ _id: archiveId, doneAt, problem, ...archive }) => {
      const { kind, number, month, rows, bytes, sha256, at } = archive;
      const isDone = doneAt !== undefined;
      return { archiveId, kind, number, month, rows, bytes, sha256, at, isDone, problem: problem ?? null };
    }),
  };
}
