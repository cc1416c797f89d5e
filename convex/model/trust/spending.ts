import { replayBudget } from "../../../app/trust/replay-chance.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** The recent work of answers of devices with a good record, and of their replays. */
export type Spending = {
  readonly answers: number;
  readonly micro: number;
  readonly answerMs: number;
  readonly replayMs: number;
};

const none: Spending = { answers: 0, micro: 0, answerMs: 0, replayMs: 0 };
/** After this time work counts half. */
const halfLifeMs = 24 * 3_600_000;

async function rowOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"checkSpending"> | null> {
  return await ctx.db
    .query("checkSpending")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** An organization's spending on checks as of now. */
export async function spendingOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<Spending> {
  const row = await rowOf(ctx, organizationId);
  if (row === null) return none;
  const share = 0.5 ** (Math.max(0, now - row.at) / halfLifeMs);
  const { answers, micro, answerMs, replayMs } = row;
  return {
    answers: answers * share,
    micro: micro * share,
    answerMs: answerMs * share,
    replayMs: replayMs * share,
  };
}

export async function storeSpending(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  spending: Spending,
  at: number,
): Promise<void> {
  const row = await rowOf(ctx, organizationId);
  if (row === null) await ctx.db.insert("checkSpending", { organizationId, ...spending, at });
  else await ctx.db.patch("checkSpending", row._id, { ...spending, at });
}

type RunState =
  | { readonly kind: "none" | "goes on" }
  /** An error has ended its last step, which had these arguments. */
  | { readonly kind: "failed"; readonly args: unknown };

/** The state of the run that chooses the checks of an organization's ended jobs. */
export async function runState(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<RunState> {
  const id = (await rowOf(ctx, organizationId))?.choosing;
  // A backup has the row, and not the step.
  const step = id === undefined ? null : await ctx.db.system.get("_scheduled_functions", id);
  if (step?.state.kind === "pending" || step?.state.kind === "inProgress") return { kind: "goes on" };
  return step?.state.kind === "failed" ? { kind: "failed", args: step.args[0] } : { kind: "none" };
}

/** Notes the next step of that run; null: it has ended. */
export async function noteStep(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  step: Id<"_scheduled_functions"> | null,
  now: number,
): Promise<void> {
  const row = await rowOf(ctx, organizationId);
  if (row !== null) await ctx.db.patch("checkSpending", row._id, { choosing: step ?? undefined });
  else if (step !== null)
    await ctx.db.insert("checkSpending", { organizationId, ...none, at: now, choosing: step });
}

/** With one more answer, and what its replay takes; 0: it has none. */
export function plus(
  { answers, micro, answerMs, replayMs }: Spending,
  answer: { readonly micro: number; readonly answerMs: number; readonly replayMs: number },
): Spending {
  return {
    answers: answers + 1,
    micro: micro + answer.micro,
    answerMs: answerMs + answer.answerMs,
    replayMs: replayMs + answer.replayMs,
  };
}

/** The price of an answer as a share of the usual one. */
export function worthOf({ answers, micro }: Spending, price: number): number {
  return answers < 1 || micro === 0 ? 1 : (price * answers) / micro;
}

/** Replays as a share of the work. */
export function spentShareOf({ answerMs, replayMs }: Spending): number {
  return answerMs === 0 ? 0 : replayMs / answerMs;
}

/** Canaries are looked for once in this time. */
const canariesEveryMs = 10 * 60_000;

/**
 * Whether it is time for a canary, and the budget of replays has room for one that takes so long. Notes that somebody looks for one, so that
 * nobody else does for some minutes.
 * @returns the most time for the canary; null: do not ask one now.
 */
export async function beginCanary(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  leastMs: number,
  now: number,
): Promise<number | null> {
  const row = await rowOf(ctx, organizationId);
  if (row === null || now - (row.canaryAt ?? 0) < canariesEveryMs) return null;
  const { answerMs, replayMs } = await spendingOf(ctx, organizationId, now);
  const leftMs = replayBudget * answerMs - replayMs;
  if (leftMs < leastMs) return null;
  await ctx.db.patch("checkSpending", row._id, { canaryAt: now });
  return leftMs;
}

/** Counts a canary as a replay. */
export async function spendOnCanary(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  canaryMs: number,
  now: number,
): Promise<void> {
  const spending = await spendingOf(ctx, organizationId, now);
  await storeSpending(ctx, organizationId, { ...spending, replayMs: spending.replayMs + canaryMs }, now);
}
