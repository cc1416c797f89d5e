import type { Usage } from "../../../app/jobs/chat.ts";
import {
  addShare,
  boundClassOf,
  likelyClass,
  type LikelyShares,
  nextClass,
  noShares,
  wholeBound,
} from "../../../app/money/likely.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** A key whose answers were covered reserves highest prices for so long. */
const distrustedMs = 30 * 86_400_000;

/** The shares of their bounds that jobs of a key usually use. The whole bounds while too little is known of it. */
export async function likelySharesOf(
  ctx: QueryCtx,
  { _id: apiKeyId, coveredAt = -Infinity }: Doc<"apiKeys">,
  modelId: string,
  completionTokens: number,
  now: number,
): Promise<LikelyShares> {
  if (coveredAt > now - distrustedMs) return wholeBound;
  const row = await ctx.db
    .query("likelyShares")
    .withIndex("by_key", (q) =>
      q.eq("apiKeyId", apiKeyId).eq("modelId", modelId).eq("boundClass", boundClassOf(completionTokens)),
    )
    .unique();
  return row ?? wholeBound;
}

/** An answered job. `most`: the bounds of the tokens that are paid. */
export type AnsweredJob = {
  readonly apiKeyId: Id<"apiKeys">;
  readonly modelId: string;
  readonly most: Usage;
  readonly usage: Usage;
};

/** Counts how much of their bounds jobs used. Once a minute, so that no job writes what another one reads. */
export async function learnShares(ctx: MutationCtx, jobs: readonly AnsweredJob[]): Promise<void> {
  const groups = new Map<string, AnsweredJob[]>();
  for (const job of jobs) {
    const name = JSON.stringify([job.apiKeyId, job.modelId, boundClassOf(job.most.completionTokens)]);
    groups.set(name, [...(groups.get(name) ?? []), job]);
  }
  for (const group of groups.values()) await learnGroup(ctx, group);
}

/** Jobs of one key, one model and one class of bounds. */
async function learnGroup(ctx: MutationCtx, jobs: readonly AnsweredJob[]): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const { apiKeyId, modelId } = first;
  const of = { apiKeyId, modelId, boundClass: boundClassOf(first.most.completionTokens) };
  const key = await ctx.db.get("apiKeys", apiKeyId);
  // Its rows are deleted soon.
  if (key?.revokedAt !== undefined) return;
  const row = await ctx.db
    .query("jobShares")
    .withIndex("by_key", (q) =>
      q.eq("apiKeyId", apiKeyId).eq("modelId", modelId).eq("boundClass", of.boundClass),
    )
    .unique();
  let {
    prompt,
    answer,
  }: Pick<Doc<"jobShares">, "prompt" | "answer"> = row ?? {
    prompt: [...noShares],
    answer: [...noShares],
  };
  for (const { most, usage } of jobs) {
    prompt = [...addShare(prompt, usage.promptTokens, most.promptTokens)];
    answer = [...addShare(answer, usage.completionTokens, most.completionTokens)];
  }
  if (row === null) await ctx.db.insert("jobShares", { ...of, prompt, answer });
  else await ctx.db.patch("jobShares", row._id, { prompt, answer });
  await publish(ctx, of, { prompt: likelyClass(prompt), answer: likelyClass(answer) });
}

async function publish(
  ctx: MutationCtx,
  of: Pick<Doc<"likelyShares">, "apiKeyId" | "modelId" | "boundClass">,
  wanted: LikelyShares,
): Promise<void> {
  const row = await ctx.db
    .query("likelyShares")
    .withIndex("by_key", (q) =>
      q.eq("apiKeyId", of.apiKeyId).eq("modelId", of.modelId).eq("boundClass", of.boundClass),
    )
    .unique();
  const before: LikelyShares = row ?? wholeBound;
  const after = {
    prompt: nextClass(before.prompt, wanted.prompt),
    answer: nextClass(before.answer, wanted.answer),
  };
  if (after.prompt === before.prompt && after.answer === before.answer) return;
  if (row === null) await ctx.db.insert("likelyShares", { ...of, ...after });
  else await ctx.db.patch("likelyShares", row._id, after);
}

/** Bounds a transaction. Further rows are few and small. */
const mostForgotten = 1_000;

/** Deletes what is known of the jobs of a key that was revoked long ago. */
export async function forgetShares(ctx: MutationCtx, apiKeyId: Id<"apiKeys">): Promise<void> {
  const [counted, published] = await Promise.all([
    ctx.db
      .query("jobShares")
      .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId))
      .take(mostForgotten),
    ctx.db
      .query("likelyShares")
      .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId))
      .take(mostForgotten),
  ]);
  for (const { _id } of counted) await ctx.db.delete("jobShares", _id);
  for (const { _id } of published) await ctx.db.delete("likelyShares", _id);
}
