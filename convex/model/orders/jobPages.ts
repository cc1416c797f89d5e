import type { JobView } from "@gleaner/queue/validators";
import type { PaginationOptions, PaginationResult } from "convex/server";
import { mergedStream, stream } from "convex-helpers/server/stream";
import type { JobStatus } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.ts";
import { keysOf } from "../keys/apiKeys.ts";
import { type MemberCtx, visibleOwners } from "../memberCalls.ts";
import { queue } from "../queue.ts";
import { boundedPage, checkCursors } from "../refuse.ts";
import { type JobRow, jobRowsOf } from "./jobRow.ts";

type Page = PaginationResult<JobRow>;
type Ctx = QueryCtx & MemberCtx;

const none: Page = { page: [], isDone: true, continueCursor: "" };

/** Which jobs are listed. The key, the device and the batch are ones that the member may see. */
export type JobFilter = {
  readonly status?: JobStatus | undefined;
  readonly key?: Doc<"apiKeys"> | undefined;
  readonly device?: Doc<"devices"> | undefined;
  readonly batch?: Doc<"batches"> | undefined;
  readonly model?: string | undefined;
  /** Submitted at or after `from`, and before `to`; ms epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** A page of the jobs that the member may see, newest first. Of a device: by its newest attempts. A page may be short. */
export async function jobPage(ctx: Ctx, filter: JobFilter, paginationOpts: PaginationOptions): Promise<Page> {
  const { status, key, device, batch, model, from, to } = filter;
  // No job has this batch yet.
  if (batch !== undefined && batch.queueBatchId === undefined) return none;
  if (device !== undefined) return await devicePage(ctx, device, filter, paginationOpts);
  if (key === undefined && batch === undefined && visibleOwners(ctx) !== null) {
    return await ownPage(ctx, paginationOpts, (job) => fits(job, filter));
  }
  const which = { status, requester: key?._id, batchId: batch?.queueBatchId, model, from, to };
  const given = Object.fromEntries(Object.entries(which).filter(([, value]) => value !== undefined));
  const page = await queue.list(ctx, ctx.organizationId, { ...given, paginationOpts });
  return { ...page, page: await jobRowsOf(ctx, page.page.filter(isRequested)) };
}

/** Checks of answers are jobs that nobody asked for. The page Checks has them. */
function isRequested({ kind }: JobView): boolean {
  return kind !== "replay";
}

/** A page of dead letters that the member may see, newest first. */
export async function deadLetterPage(ctx: Ctx, paginationOpts: PaginationOptions): Promise<Page> {
  if (visibleOwners(ctx) !== null) {
    return await ownPage(ctx, paginationOpts, ({ status }) => status === "failed" || status === "expired");
  }
  const page = await queue.deadLetters.list(ctx, ctx.organizationId, { paginationOpts });
  return { ...page, page: await jobRowsOf(ctx, page.page.filter(isRequested)) };
}

function fits(job: JobView, { status, key, batch, model, from = 0, to = Infinity }: JobFilter): boolean {
  return (
    (batch === undefined || job.batchId === batch.queueBatchId) &&
    (status === undefined || job.status === status) &&
    (key === undefined || job.requester === key._id) &&
    (model === undefined || job.requirements.model === model) &&
    job.submittedAt >= from &&
    job.submittedAt < to
  );
}

async function devicePage(
  ctx: Ctx,
  { workerId }: Doc<"devices">,
  filter: JobFilter,
  paginationOpts: PaginationOptions,
): Promise<Page> {
  const { organizationId } = ctx;
  const history = await queue.workers.history(ctx, organizationId, { workerId, paginationOpts });
  const owners = visibleOwners(ctx);
  const keys = owners === null ? null : await keysOf(ctx, owners);
  const jobs = await jobsOf(
    ctx,
    history.page.map(({ jobId }) => jobId),
  );
  const wanted = jobs.filter(
    (job) =>
      isRequested(job) &&
      fits(job, filter) &&
      (keys === null || keys.some(({ _id }) => _id === job.requester)),
  );
  return { ...history, page: await jobRowsOf(ctx, wanted) };
}

const mostOwn = 100;

/**
 * A page of the jobs of the member's keys. The queue knows no owners, so the orders of these keys are read, newest first. A page
 * is shorter if some of its jobs have another status, or were deleted.
 */
async function ownPage(
  ctx: Ctx,
  paginationOpts: PaginationOptions,
  isWanted: (job: JobView) => boolean,
): Promise<Page> {
  const keys = await keysOf(ctx, visibleOwners(ctx) ?? []);
  if (keys.length === 0) return none;
  const ofKeys = keys.map(({ _id }) =>
    stream(ctx.db, schema)
      .query("orders")
      .withIndex("by_key", (q) => q.eq("apiKeyId", _id))
      .order("desc"),
  );
  checkCursors(paginationOpts);
  const orders = await mergedStream(ofKeys, ["_creationTime"]).paginate(boundedPage(paginationOpts, mostOwn));
  const jobs = await jobsOf(
    ctx,
    orders.page.map(({ jobId }) => jobId),
  );
  return { ...orders, page: await jobRowsOf(ctx, jobs.filter(isWanted)) };
}

/** The jobs with these ids, each once. Deleted ones are left out. */
async function jobsOf(ctx: Ctx, jobIds: readonly string[]): Promise<JobView[]> {
  const once = [...new Set(jobIds)];
  const jobs = await Promise.all(once.map((jobId) => queue.status(ctx, ctx.organizationId, jobId)));
  return jobs.filter((job) => job !== null);
}
