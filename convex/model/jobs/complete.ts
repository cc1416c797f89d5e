import type { ChatResult, Usage } from "../../../app/jobs/chat.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { settle } from "../ledger/settle.ts";
import { present } from "../load.ts";
import { boundedInteger, refuse, wellFormed } from "../refuse.ts";
import { byteLength } from "../requests/check.ts";
import type { Claimed } from "../validators.ts";
import { claimNext } from "./claimNext.ts";
import { passFence } from "./fence.ts";
import { move } from "./move.ts";

export type CompleteOutcome =
  { kind: "settled"; earnedMicro: bigint; next: Claimed | null } | { kind: "fenced" };

/** Writes the result, pays the device and hands it its next job, all in one transaction. */
export async function complete(
  ctx: MutationCtx,
  device: Doc<"devices">,
  done: {
    readonly attemptId: Id<"attempts">;
    readonly result: ChatResult;
    readonly wantsNext: boolean;
  },
  now: number,
): Promise<CompleteOutcome> {
  const held = await passFence(ctx, device, done.attemptId);
  if (held === null) return await repeated(ctx, device, done.attemptId);
  const { job } = held;
  checkResult(done.result, await usageBounds(ctx, job));
  const { text, finishReason, usage, timing } = done.result;
  const earnedMicro = await settle(ctx, job, device._id, usage, now);
  await ctx.db.insert("results", { jobId: job._id, text, finishReason });
  await move(ctx, job, { kind: "complete" }, now, {
    job: { priceMicro: earnedMicro, usage },
    attempt: { usage, timing, earnedMicro },
  });
  const next = done.wantsNext ? await claimNext(ctx, device, now) : null;
  return { kind: "settled", earnedMicro, next };
}

/** A device that lost the answer of its call asks again: it is told what it earned, and paid nothing more. */
async function repeated(
  ctx: MutationCtx,
  device: Doc<"devices">,
  attemptId: Id<"attempts">,
): Promise<CompleteOutcome> {
  const attempt = await ctx.db.get("attempts", attemptId);
  if (attempt?.deviceId !== device._id || attempt.status !== "succeeded") return { kind: "fenced" };
  return { kind: "settled", earnedMicro: attempt.earnedMicro ?? 0n, next: null };
}

/** The most that a true count can say: the requester reads these numbers, whatever the device is paid. */
async function usageBounds(ctx: QueryCtx, job: Doc<"jobs">): Promise<Usage> {
  const payload = await ctx.db
    .query("payloads")
    .withIndex("by_job", (q) => q.eq("jobId", job._id))
    .unique();
  const model = await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) =>
      q.eq("organizationId", job.organizationId).eq("modelId", job.modelId),
    )
    .unique();
  return {
    promptTokens: present(model, "model of a running job").contextTokens,
    completionTokens: present(payload, "payload of a running job").request.maxTokens,
  };
}

function checkResult({ text, usage, timing }: ChatResult, most: Usage): void {
  if (byteLength(text) > limits.resultBytes) refuse("too_large", "The result is too large.");
  wellFormed(text, "The result");
  boundedInteger(usage.promptTokens, "promptTokens", 0, most.promptTokens);
  boundedInteger(usage.completionTokens, "completionTokens", 0, most.completionTokens);
  for (const ms of [timing.prefillMs, timing.generateMs]) {
    if (!(Number.isFinite(ms) && ms >= 0)) refuse("invalid", "A timing must be a number of milliseconds.");
  }
}
