import type { PaginationOptions, PaginationResult } from "convex/server";
import type { Infer } from "convex/values";
import { mergedStream, stream } from "convex-helpers/server/stream";
import type { JobStatus } from "../../../app/jobs/states.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.ts";
import type { Owners } from "../memberCalls.ts";
import { keysOf } from "../organizations/apiKeys.ts";
import { queue } from "../queue.ts";
import { type jobRow, jobRowOf } from "./jobRow.ts";

type Page = PaginationResult<Infer<typeof jobRow>>;

/** A page of an organization's jobs, newest first: of one status or of all. */
export async function jobPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  { paginationOpts, status }: { paginationOpts: PaginationOptions; status?: JobStatus },
): Promise<Page> {
  if (owners !== null) {
    return await ownPage(
      ctx,
      organizationId,
      owners,
      paginationOpts,
      (job) => status === undefined || job === status,
    );
  }
  const which = status === undefined ? { paginationOpts } : { paginationOpts, status };
  const page = await queue.list(ctx, organizationId, which);
  return { ...page, page: await Promise.all(page.page.map((job) => jobRowOf(ctx, organizationId, job))) };
}

/** A page of an organization's dead letters, newest first. */
export async function deadLetterPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  paginationOpts: PaginationOptions,
): Promise<Page> {
  if (owners !== null) {
    return await ownPage(
      ctx,
      organizationId,
      owners,
      paginationOpts,
      (job) => job === "failed" || job === "expired",
    );
  }
  const page = await queue.deadLetters.list(ctx, organizationId, { paginationOpts });
  return { ...page, page: await Promise.all(page.page.map((job) => jobRowOf(ctx, organizationId, job))) };
}

/**
 * A page of the jobs of somebody's keys. The queue knows no owners, so the orders of these keys are read, newest first. A page
 * is shorter if some of its jobs have another status, or were deleted.
 */
async function ownPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: NonNullable<Owners>,
  paginationOpts: PaginationOptions,
  isWanted: (status: JobStatus) => boolean,
): Promise<Page> {
  const keys = await keysOf(ctx, organizationId, owners);
  if (keys.length === 0) return { page: [], isDone: true, continueCursor: "" };
  const ofKeys = keys.map(({ _id }) =>
    stream(ctx.db, schema)
      .query("orders")
      .withIndex("by_key", (q) => q.eq("apiKeyId", _id))
      .order("desc"),
  );
  const orders = await mergedStream(ofKeys, ["_creationTime"]).paginate(paginationOpts);
  const jobs = await Promise.all(orders.page.map(({ jobId }) => queue.status(ctx, organizationId, jobId)));
  const wanted = jobs.flatMap((job) => (job !== null && isWanted(job.status) ? [job] : []));
  return { ...orders, page: await Promise.all(wanted.map((job) => jobRowOf(ctx, organizationId, job))) };
}
