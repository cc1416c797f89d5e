import type { PaginationOptions, PaginationResult } from "convex/server";
import { mergedStream, stream } from "convex-helpers/server/stream";
import type { JobView } from "../../../shared/validators.ts";
import { boundedPage } from "../bounds.ts";
import type { Doc, QueryCtx } from "../builders.ts";
import { idOf } from "../load.ts";
import { schema } from "../schema.ts";
import { allStatuses, type JobStatus } from "./states.ts";
import { viewJob } from "./view.ts";

export type Filter = {
  readonly scope: string;
  readonly status?: JobStatus;
  readonly requester?: string;
  readonly key?: string;
  readonly batchId?: string;
  readonly model?: string;
  /** Submitted at or after `from`, and before `to`; ms epoch. */
  readonly from?: number;
  readonly to?: number;
};

/** The most rows that one page skips because they do not match the filter. The page may then be short. */
const maxRowsRead = 250;

/** A scope's jobs, newest first. Uses the narrowest index that fits, and filters its rows. */
export async function listJobs(
  ctx: QueryCtx,
  filter: Filter,
  options: PaginationOptions,
): Promise<PaginationResult<JobView>> {
  const statuses = filter.status === undefined ? allStatuses : [filter.status];
  return await pageOf(ctx, filter, statuses, (job) => fits(job, filter), options);
}

/** Dead letters that can be retried, newest submission first. Purged and discarded ones are left out. */
export async function listDead(
  ctx: QueryCtx,
  { scope, kind }: { readonly scope: string; readonly kind?: string },
  options: PaginationOptions,
): Promise<PaginationResult<JobView>> {
  const wanted = (job: Doc<"jobs">): boolean =>
    job.purgeAt !== undefined && (kind === undefined || job.kind === kind);
  return await pageOf(ctx, { scope }, ["failed", "expired"], wanted, options);
}

async function pageOf(
  ctx: QueryCtx,
  filter: Filter,
  statuses: readonly JobStatus[],
  wanted: (job: Doc<"jobs">) => boolean,
  options: PaginationOptions,
): Promise<PaginationResult<JobView>> {
  const { cursor, numItems, endCursor = null } = boundedPage(options);
  const batchId = filter.batchId === undefined ? undefined : idOf(ctx, "batches", filter.batchId);
  if (batchId === null) return { page: [], isDone: true, continueCursor: cursor ?? "[]" };
  const rows = () => stream(ctx.db, schema).query("jobs");
  const { scope, requester, key, from = 0, to = Infinity } = filter;
  const streams = statuses.map((status) => {
    if (batchId !== undefined) {
      return rows()
        .withIndex("by_batch", (q) => q.eq("batchId", batchId).eq("status", status))
        .order("desc");
    }
    if (requester !== undefined) {
      return rows()
        .withIndex("by_requester", (q) =>
          q
            .eq("scope", scope)
            .eq("requester", requester)
            .eq("status", status)
            .gte("submittedAt", from)
            .lt("submittedAt", to),
        )
        .order("desc");
    }
    if (key !== undefined) {
      return rows()
        .withIndex("by_key", (q) =>
          q
            .eq("scope", scope)
            .eq("key", key)
            .eq("status", status)
            .gte("submittedAt", from)
            .lt("submittedAt", to),
        )
        .order("desc");
    }
    return rows()
      .withIndex("by_status", (q) =>
        q.eq("scope", scope).eq("status", status).gte("submittedAt", from).lt("submittedAt", to),
      )
      .order("desc");
  });
  const order = batchId === undefined ? ["submittedAt", "_creationTime"] : ["_creationTime"];
  const page = await mergedStream(streams, order)
    .filterWith(async (job) => wanted(job))
    .paginate({
      cursor,
      // Set when the reader has the next page. This page then ends there, so that no gap opens between the two.
      endCursor,
      numItems,
      maximumRowsRead: maxRowsRead,
    });
  return { page: page.page.map(viewJob), isDone: page.isDone, continueCursor: page.continueCursor };
}

function fits(job: Doc<"jobs">, filter: Filter): boolean {
  const { scope, requester, key, model, from = 0, to = Infinity } = filter;
  if (job.scope !== scope || job.submittedAt < from || job.submittedAt >= to) return false;
  if (model !== undefined && job.requirements?.model !== model) return false;
  return (requester === undefined || job.requester === requester) && (key === undefined || job.key === key);
}
