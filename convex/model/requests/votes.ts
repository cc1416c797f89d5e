import { confidenceOf, withVote } from "../../../app/votes/confidence.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { hashSecret } from "../authenticate.ts";
import type { ModelView } from "../models/catalog.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";

/** A hash of the first job of a call and the number of a further one, from 1. */
export async function furtherHash(apiKeyId: Id<"apiKeys">, of: string, index: number): Promise<string> {
  return await hashSecret(`${apiKeyId} ${of} ${String(index)}`);
}

/** A further job of a call, by its first job and its number, from 1. Null: the call has asked for none. */
export async function furtherOrder(
  ctx: QueryCtx,
  { organizationId, apiKeyId }: Pick<Doc<"orders">, "organizationId" | "apiKeyId">,
  { of, index }: { readonly of: string; readonly index: number },
): Promise<Doc<"orders"> | null> {
  const hash = await furtherHash(apiKeyId, of, index);
  const job = await queue.statusByIdempotencyKey(ctx, organizationId, hash);
  return job === null ? null : await orderOf(ctx, job.jobId);
}

/** The larger models that are asked one after the other, until one answers. */
const mostLarger = 3;

/** The models that are larger than one of them, by their files: the largest first. */
export function largerModels(
  models: readonly ModelView[],
  { sizeBytes }: Pick<ModelView, "sizeBytes">,
): readonly ModelView[] {
  return models
    .filter((model) => model.sizeBytes > sizeBytes)
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, mostLarger);
}

/**
 * Counts a vote among those of the model, unless it was counted before. @returns how likely one more answer would agree with the
 * largest group, as the earlier votes of the model and this one tell: 0 to 1.
 * @param vote `groups`: how many answers each group has, the largest first.
 */
export async function noteVote(
  ctx: MutationCtx,
  { organizationId }: Doc<"apiKeys">,
  {
    modelId,
    groups,
    repeated,
  }: { readonly modelId: string; readonly groups: readonly number[]; readonly repeated: boolean },
): Promise<number> {
  const row = await ctx.db
    .query("voteTallies")
    .withIndex("by_model", (q) => q.eq("organizationId", organizationId).eq("modelId", modelId))
    .unique();
  const before = row?.tally ?? {};
  if (repeated) return confidenceOf(groups, before);
  const tally = withVote(before, groups);
  if (row === null) await ctx.db.insert("voteTallies", { organizationId, modelId, tally });
  else if (tally !== before) await ctx.db.patch("voteTallies", row._id, { tally });
  return confidenceOf(groups, before);
}
