import type { Value } from "convex/values";
import { boundedContext, boundedHandle, boundedName } from "../bounds.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { record } from "../events.ts";
import { loadOwned } from "../load.ts";
import { refuse } from "../refuse.ts";
import { concludeIfComplete, scheduleFold } from "./fold.ts";

export type NewBatch = {
  readonly scope: string;
  readonly externalId?: string;
  /** The handle of a mutation that takes the batch's view. */
  readonly onDone?: string;
  readonly context?: Value;
  readonly actor?: string;
};

/** Opens a batch, or returns the scope's batch with the same `externalId`, so the call can be repeated. */
export async function createBatch(
  ctx: MutationCtx,
  { actor, ...batch }: NewBatch,
  now: number,
): Promise<Id<"batches">> {
  const { scope, externalId, onDone, context } = batch;
  boundedContext(context);
  boundedHandle(onDone, "onDone");
  if (externalId !== undefined) {
    boundedName(externalId, "externalId");
    const known = await ctx.db
      .query("batches")
      .withIndex("by_external", (q) => q.eq("scope", scope).eq("externalId", externalId))
      .first();
    if (known !== null) return known._id;
  }
  const counts = { total: 0, succeeded: 0, failed: 0, canceled: 0, expired: 0 };
  const batchId = await ctx.db.insert("batches", { ...batch, ...counts, status: "open", createdAt: now });
  await record(ctx, { scope, at: now, actor, action: "batch.create", subject: batchId });
  return batchId;
}

/** The batch of a submission. It must be open. Refuses: invalid, not_found. */
export async function loadOpenBatch(ctx: QueryCtx, scope: string, batchId: string): Promise<Doc<"batches">> {
  const batch = await loadOwned(ctx, "batches", scope, batchId);
  if (batch.status !== "open") refuse("invalid", `The batch is ${batch.status} and takes no more jobs.`);
  return batch;
}

/**
 * Adds new jobs to the total of an open batch. Submissions to one batch run one after the other, because each writes
 * its row.
 */
export async function grow(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  jobs: number,
  maxJobs: number,
): Promise<Id<"batches">> {
  const total = batch.total + jobs;
  if (total > maxJobs) {
    refuse("too_large", `A batch has at most ${String(maxJobs)} jobs; this one would have ${String(total)}.`);
  }
  if (jobs > 0) await ctx.db.patch("batches", batch._id, { total });
  return batch._id;
}

/** Closes a batch to new jobs. It is done once all its jobs are final, which may be at once. */
export async function seal(ctx: MutationCtx, batch: Doc<"batches">, now: number): Promise<void> {
  if (batch.status !== "open") return;
  await ctx.db.patch("batches", batch._id, { status: "sealed" });
  const outcome = await concludeIfComplete(ctx, { ...batch, status: "sealed" }, now);
  if (outcome === "threw") await scheduleFold(ctx, batch._id, { delayMs: 1_000 });
}
