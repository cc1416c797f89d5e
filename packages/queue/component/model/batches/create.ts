import type { Value } from "convex/values";
import type { Id, MutationCtx } from "../../builders.ts";
import { boundedName, boundedSize } from "../bounds.ts";
import { record } from "../events.ts";
import { refuse } from "../refuse.ts";

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
