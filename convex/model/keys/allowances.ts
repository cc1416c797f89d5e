import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { visibleText } from "../../../app/format/visible.ts";
import {
  allowanceName,
  type AllowanceTerms,
  allowanceTermsText,
  amountDue,
  nextPeriodStart,
  periodStart,
} from "../../../app/money/allowance.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { availableOf } from "../ledger/holds.ts";
import { boundedText, refuse } from "../refuse.ts";
import { allowanceTerms } from "../validators.ts";
import { checkMayGetCredits, issueCredits, maxCreditsMicro, maxReasonChars } from "./keyCredits.ts";

/** An allowance in the list of keys. */
export const allowanceRow = v.object({
  ...allowanceTerms.fields,
  reason: v.string(),
  /** The member who set it. */
  author: v.string(),
  setAt: v.number(),
  /** The start of the next period (UTC); ms epoch. It is in the past until the credits are given, which takes some minutes. */
  dueAt: v.number(),
});

/** The allowance of a key; null: it has none, or was revoked. */
export async function allowanceOf(
  ctx: QueryCtx,
  { allowance, revokedAt }: Doc<"apiKeys">,
): Promise<Infer<typeof allowanceRow> | null> {
  if (allowance === undefined || revokedAt !== undefined) return null;
  const { memberId, ...shown } = allowance;
  const member = await ctx.db.get("members", memberId);
  return { ...shown, author: visibleText(member?.name ?? "") };
}

/**
 * Sets the allowance of a key. It gives its first credits at the start of the next period. If the former allowance is due, the key
 * gets that first. Refuses: invalid, revoked.
 */
export async function setAllowance(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { every, kind, micro, reason }: AllowanceTerms & { readonly reason: string },
  memberId: Id<"members">,
  by: Act,
): Promise<void> {
  const { _id: apiKeyId, organizationId, allowance: before } = key;
  checkMayGetCredits(key);
  if (micro <= 0n || micro > maxCreditsMicro)
    refuse("invalid", "An allowance must be more than 0, and at most a billion credits.");
  const why = boundedText(reason, "The reason", maxReasonChars);
  await giveIfDue(ctx, key, by.at);
  const allowance = { every, kind, micro, reason: why, memberId, setAt: by.at };
  await ctx.db.patch("apiKeys", apiKeyId, {
    allowance: { ...allowance, dueAt: nextPeriodStart(every, by.at) },
  });
  const change = [termsText(before), allowanceTermsText(allowance)] as const;
  const detail = changesText([["allowance", ...change]], [`reason: ${why}`]);
  await record(ctx, { organizationId, ...by, action: "api-key.allowance-set", subject: apiKeyId, detail });
}

/** Ends the allowance of a key. If it is due, the key gets that first. Does nothing without one. */
export async function endAllowance(ctx: MutationCtx, key: Doc<"apiKeys">, by: Act): Promise<void> {
  const { _id: apiKeyId, organizationId, allowance } = key;
  if (allowance === undefined) return;
  await giveIfDue(ctx, key, by.at);
  await ctx.db.patch("apiKeys", apiKeyId, { allowance: undefined });
  const detail = changesText([["allowance", termsText(allowance), null]]);
  await record(ctx, { organizationId, ...by, action: "api-key.allowance-ended", subject: apiKeyId, detail });
}

function termsText(allowance: AllowanceTerms | undefined): string | null {
  return allowance === undefined ? null : allowanceTermsText(allowance);
}

const perPage = 100;

/** The place at which a run over the due allowances goes on. `until`: the moment at which it began. */
export const allowancePage = v.object({ until: v.number(), cursor: v.union(v.string(), v.null()) });

/**
 * Schedules the next due allowances, each as a mutation of its own, so that a busy key delays no other. An allowance that is not
 * given then is still due in the next run.
 * @returns the next page; null after the last one.
 */
export async function scheduleDue(
  ctx: MutationCtx,
  { until, cursor }: Infer<typeof allowancePage>,
): Promise<Infer<typeof allowancePage> | null> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("apiKeys")
    .withIndex("by_allowance_due", (q) => q.gt("allowance.dueAt", 0).lte("allowance.dueAt", until))
    .paginate({ numItems: perPage, cursor });
  for (const { _id: apiKeyId } of page)
    await ctx.scheduler.runAfter(0, internal.maintenance.renewAllowance, { apiKeyId });
  return isDone ? null : { until, cursor: continueCursor };
}

/**
 * Gives a key the credits of the present period if its allowance is due. Periods that passed meanwhile are not made up for. Keys that
 * were revoked or have expired get none. A second call in the same period gives nothing.
 */
export async function giveIfDue(ctx: MutationCtx, key: Doc<"apiKeys">, now: number): Promise<void> {
  const { _id: apiKeyId, organizationId, allowance, expiresAt, revokedAt } = key;
  if (allowance === undefined || allowance.dueAt > now) return;
  const { every, reason } = allowance;
  if (revokedAt !== undefined) {
    await ctx.db.patch("apiKeys", apiKeyId, { allowance: undefined });
    return;
  }
  const dueAt = nextPeriodStart(every, now);
  await ctx.db.patch("apiKeys", apiKeyId, { allowance: { ...allowance, dueAt } });
  if (expiresAt !== undefined && expiresAt <= now) return;
  // It reads all holds of the key, so only if they matter.
  const available = allowance.kind === "add" ? 0n : await availableOf(ctx, apiKeyId);
  const micro = amountDue(allowance, available);
  if (micro === 0n) return;
  const start = periodStart(every, now);
  const note = `${allowanceName(every, start)}: ${reason}`;
  const issued = await issueCredits(ctx, {
    key: `allowance:${apiKeyId}:${every}:${String(start)}`,
    organizationId,
    apiKeyId,
    micro,
    at: now,
    note,
  });
  if (issued === "repeated") return;
  await record(ctx, {
    organizationId,
    actor: "system",
    at: now,
    action: "api-key.allowance-given",
    subject: apiKeyId,
    detail: `${formatExactCredits(micro)} given: ${note}`,
  });
}
