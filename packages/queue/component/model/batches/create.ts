import type { Value } from "convex/values";
import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import { boundedName, boundedSize } from "../bounds.ts";
import { record } from "../events.ts";
import { loadOwned } from "../load.ts";
import { refuse } from "../refuse.ts";
import { concludeIfComplete, scheduleFold } from "./fold.ts";

const maxContextBytes = 4_096;
const maxHandleChars = 1_024;

export type NewBatch = {
  readonly scope: string;
  readonly externalId?: string;
  /** Handle of a mutation that takes the batch's view. */
  readonly onDone?: string;
  readonly context?: Value;
  readonly actor?: string;
};

/** Opens a batch, unless the scope has one with that `externalId`: a call that is repeated makes one. */
export async function createBatch(
  ctx: MutationCtx,
  { actor, ...batch }: NewBatch,
  now: number,
): Promise<Id<"batches">> {
  const { scope, externalId, onDone, context } = batch;
  if (context !== undefined) boundedSize(context, "context", maxContextBytes);
  if (onDone !== undefined && onDone.length > maxHandleChars) {
    refuse("invalid", "onDone must be a function handle.");
  }
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

/** The batch that a submission names, which has to be open. */
export async function loadOpenBatch(ctx: QueryCtx, scope: string, batchId: string): Promise<Doc<"batches">> {
  const batch = await loadOwned(ctx, "batches", scope, batchId);
  if (batch.status !== "open") refuse("invalid", `The batch is ${batch.status}: it takes no more jobs.`);
  return batch;
}

/** Adds so many new jobs to an open batch. Its additions come one after the other: each writes its row once. */
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

/** No more jobs come: the batch is done once all are final; at once when they are, or when it has none. */
export async function seal(ctx: MutationCtx, batch: Doc<"batches">, now: number): Promise<void> {
  if (batch.status !== "open") return;
  await ctx.db.patch("batches", batch._id, { status: "sealed" });
  const outcome = await concludeIfComplete(ctx, { ...batch, status: "sealed" }, now);
  if (outcome === "threw") await scheduleFold(ctx, batch._id, { delayMs: 1_000 });
}
