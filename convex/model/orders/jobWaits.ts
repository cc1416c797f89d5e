import type { JobView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { actorWordsOf } from "../audit.ts";
import { queue } from "../queue.ts";

/** Why a job waits, with names in place of ids. */
export const jobWait = v.union(
  v.object({ kind: v.literal("time"), until: v.union(v.number(), v.null()), retried: v.boolean() }),
  v.object({ kind: v.literal("job"), jobId: v.string() }),
  /** `constrained`: the limit is one on requests with a schema or a grammar, which stopped devices. */
  v.object({ kind: v.literal("limit"), limit: v.union(v.number(), v.null()), constrained: v.boolean() }),
  v.object({
    kind: v.literal("paused"),
    by: v.union(v.string(), v.null()),
    since: v.union(v.number(), v.null()),
  }),
  v.object({ kind: literals("no-worker", "no-model", "no-match", "busy") }),
);
export type JobWait = Infer<typeof jobWait>;

/** More than a page asks for at once. */
const newestOrders = 4;

/** Why the newest jobs of a key wait, by their models. Jobs that do not wait are left out. */
export async function waitsOfKey(
  ctx: QueryCtx,
  { _id, organizationId }: Doc<"apiKeys">,
): Promise<{ modelId: string; wait: JobWait }[]> {
  const orders = await ctx.db
    .query("orders")
    .withIndex("by_key", (q) => q.eq("apiKeyId", _id))
    .order("desc")
    .take(newestOrders);
  const open = orders.filter(({ priceMicro }) => priceMicro === undefined);
  const found = await Promise.all(open.map(({ jobId }) => queue.status(ctx, organizationId, jobId)));
  const jobs = found.filter((job) => job !== null);
  const waits = await waitsOfJobs(ctx, organizationId, jobs);
  return open.flatMap(({ jobId, modelId }) => {
    const wait = waits.get(jobId);
    return wait === undefined ? [] : [{ modelId, wait }];
  });
}

/** Why those of the jobs wait that wait for something, by job. */
export async function waitsOfJobs(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  jobs: readonly JobView[],
): Promise<ReadonlyMap<string, JobWait>> {
  const waiting = jobs.filter(({ status }) => status === "waiting" || status === "ready");
  if (waiting.length === 0) return new Map();
  const ids = waiting.map(({ jobId }) => jobId);
  const found = await queue.waitReasons(ctx, organizationId, ids);
  return new Map(
    await Promise.all(
      found.map(async ({ jobId, reason }): Promise<[string, JobWait]> => {
        switch (reason.kind) {
          case "paused": {
            const { by, since } = reason;
            const name = by === null ? null : await actorWordsOf(ctx, organizationId, by);
            return [jobId, { kind: "paused", by: name, since }];
          }
          case "limit":
            return [jobId, { kind: "limit", limit: reason.limit, constrained: reason.of === "key" }];
          default:
            return [jobId, reason];
        }
      }),
    ),
  );
}
