import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { changesText } from "../../../app/audit/changes.ts";
import { allowanceName } from "../../../app/credits/key-moves.ts";
import { visibleText } from "../../../app/format/visible.ts";
import {
  type AllowanceTerms,
  allowanceTermsText,
  amountDue,
  nextPeriodStart,
  periodStart,
} from "../../../app/money/allowance.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedText, refuse } from "../refuse.ts";
import { type allowance as storedAllowance, allowanceTerms } from "../validators/credits.ts";
import { issueTo, maxCreditsMicro, maxReasonChars } from "./grants.ts";
import { checkMayGetCredits, hasEnded, type Holder, type HolderId, holderOf, takeableOf } from "./holders.ts";

/** An allowance as the console shows it. */
export const allowanceRow = v.object({
  ...allowanceTerms.fields,
  reason: v.string(),
  /** The member who set it. */
  author: v.string(),
  setAt: v.number(),
  /** The start of the next period (UTC); ms epoch. It is in the past until the credits are given, which takes some minutes. */
  dueAt: v.number(),
});

/** The allowance of a holder; null: it has none, or has ended. */
export async function allowanceOf(ctx: QueryCtx, holder: Holder): Promise<Infer<typeof allowanceRow> | null> {
  const { allowance } = holder.row;
  if (allowance === undefined || hasEnded(holder)) return null;
  const { memberId, ...shown } = allowance;
  const member = await ctx.db.get("members", memberId);
  return { ...shown, author: visibleText(member?.name ?? "") };
}

/** The actions of the audit trail. */
const actions = {
  apiKeys: {
    set: "api-key.allowance-set",
    ended: "api-key.allowance-ended",
    given: "api-key.allowance-given",
  },
  members: {
    set: "credits.allowance-set",
    ended: "credits.allowance-ended",
    given: "credits.allowance-given",
  },
  teams: {
    set: "credits.allowance-set",
    ended: "credits.allowance-ended",
    given: "credits.allowance-given",
  },
} as const;

/**
 * Sets the allowance of a holder. It gives its first credits at the start of the next period. If the former allowance is due, the holder
 * gets that first. Refuses: invalid, revoked.
 * @param dueAt of a former allowance that comes back: the start of its next period. If that period began meanwhile, the holder gets its
 * credits now.
 */
export async function setAllowance(
  ctx: MutationCtx,
  holder: Holder,
  {
    every,
    kind,
    micro,
    reason,
    dueAt = Infinity,
  }: AllowanceTerms & { readonly reason: string; readonly dueAt?: number },
  memberId: Id<"members">,
  by: Act,
): Promise<void> {
  const { _id: subject, organizationId, allowance: before } = holder.row;
  checkMayGetCredits(holder);
  if (micro <= 0n || micro > maxCreditsMicro)
    refuse("invalid", "An allowance must be more than 0, and at most a billion credits.");
  if (dueAt !== Infinity && periodStart(every, dueAt) !== dueAt)
    refuse("invalid", "An allowance is due at the start of a period.");
  const why = boundedText(reason, "The reason", maxReasonChars);
  await giveIfDue(ctx, holder, by.at);
  const allowance = { every, kind, micro, reason: why, memberId, setAt: by.at };
  await store(ctx, holder, { ...allowance, dueAt: Math.min(dueAt, nextPeriodStart(every, by.at)) });
  const change = [termsText(before), allowanceTermsText(allowance)] as const;
  const detail = changesText([["allowance", ...change]], [`reason: ${why}`]);
  const action = actions[holder.table].set;
  await record(ctx, { organizationId, ...by, action, subject, detail });
  const stored = await holderOf(ctx, subject);
  if (stored !== null) await giveIfDue(ctx, stored, by.at);
}

/** Ends the allowance of a holder. If it is due, the holder gets that first. Does nothing without one. */
export async function endAllowance(ctx: MutationCtx, holder: Holder, by: Act): Promise<void> {
  const { _id: subject, organizationId, allowance } = holder.row;
  if (allowance === undefined) return;
  await giveIfDue(ctx, holder, by.at);
  await store(ctx, holder, undefined);
  const detail = changesText([["allowance", termsText(allowance), null]]);
  const action = actions[holder.table].ended;
  await record(ctx, { organizationId, ...by, action, subject, detail });
}

function termsText(allowance: AllowanceTerms | undefined): string | null {
  return allowance === undefined ? null : allowanceTermsText(allowance);
}

async function store(
  ctx: MutationCtx,
  { table, row }: Holder,
  allowance: Infer<typeof storedAllowance> | undefined,
): Promise<void> {
  if (table === "apiKeys") await ctx.db.patch("apiKeys", row._id, { allowance });
  else if (table === "members") await ctx.db.patch("members", row._id, { allowance });
  else await ctx.db.patch("teams", row._id, { allowance });
}

const perPage = 20;
/** The time between two mutations that give allowances, so that they seldom meet on the accounts that they share; ms. */
const turnMs = 250;

/** The place at which a run over the due allowances goes on. `until`: the moment at which it began. */
export const allowancePage = v.object({
  until: v.number(),
  table: literals("apiKeys", "members", "teams"),
  cursor: v.union(v.string(), v.null()),
});

type Page = Infer<typeof allowancePage>;

/** The table whose allowances are given after those of another one. */
const tableAfter = { apiKeys: "members", members: "teams", teams: null } as const;

/**
 * Schedules the next due allowances. All of an organization change its issuance account and the totals of the ledger, so one mutation
 * gives those of a whole page, and the next one starts later. A key that is topped up has a mutation of its own: that reads the key's
 * holds, so a busy key would delay the others. An allowance that is not given then is still due in the next run.
 */
export async function scheduleDue(ctx: MutationCtx, { until, table, cursor }: Page): Promise<void> {
  const { page, isDone, continueCursor } = await dueIn(ctx, table, until, { numItems: perPage, cursor });
  const alone = table === "apiKeys" ? page.filter(({ allowance }) => allowance?.kind === "top-up") : [];
  const together = page.filter((row) => !alone.includes(row));
  const turns = [together, ...alone.map((row) => [row])].filter((rows) => rows.length > 0);
  for (const [turn, rows] of turns.entries()) {
    const holders = rows.map(({ _id }) => _id);
    await ctx.scheduler.runAfter(turn * turnMs, internal.maintenance.renewTurn, { holders });
  }
  const nextTable = isDone ? tableAfter[table] : table;
  if (nextTable === null) return;
  const next = { until, table: nextTable, cursor: isDone ? null : continueCursor };
  await ctx.scheduler.runAfter(turns.length * turnMs, internal.maintenance.renewAllowances, { next });
}

type Found = {
  readonly page: readonly {
    readonly _id: HolderId;
    readonly allowance?: Infer<typeof storedAllowance> | undefined;
  }[];
  readonly isDone: boolean;
  readonly continueCursor: string;
};

async function dueIn(
  ctx: QueryCtx,
  table: Page["table"],
  until: number,
  paging: { readonly numItems: number; readonly cursor: string | null },
): Promise<Found> {
  switch (table) {
    case "apiKeys":
      return await ctx.db
        .query("apiKeys")
        .withIndex("by_allowance_due", (q) => q.gt("allowance.dueAt", 0).lte("allowance.dueAt", until))
        .paginate(paging);
    case "members":
      return await ctx.db
        .query("members")
        .withIndex("by_allowance_due", (q) => q.gt("allowance.dueAt", 0).lte("allowance.dueAt", until))
        .paginate(paging);
    case "teams":
      return await ctx.db
        .query("teams")
        .withIndex("by_allowance_due", (q) => q.gt("allowance.dueAt", 0).lte("allowance.dueAt", until))
        .paginate(paging);
  }
}

/**
 * Gives a holder the credits of the present period if its allowance is due. Periods that passed meanwhile are not made up for. Keys that
 * were revoked or have expired get none, and nobody who was removed. A second call in the same period gives nothing.
 */
export async function giveIfDue(ctx: MutationCtx, holder: Holder, now: number): Promise<void> {
  const { _id: subject, organizationId, allowance } = holder.row;
  if (allowance === undefined || allowance.dueAt > now) return;
  const { every, reason, memberId: author } = allowance;
  if (hasEnded(holder)) {
    await store(ctx, holder, undefined);
    return;
  }
  await store(ctx, holder, { ...allowance, dueAt: nextPeriodStart(every, now) });
  if (hasExpired(holder, now)) return;
  // For a key this reads all holds. `add` does not need it.
  const available = allowance.kind === "add" ? 0n : await takeableOf(ctx, holder);
  const micro = amountDue(allowance, available);
  if (micro === 0n) return;
  const period = { every, start: periodStart(every, now) };
  const issued = await issueTo(ctx, holder, {
    key: `allowance:${subject}:${every}:${String(period.start)}`,
    kind: "allowance",
    author,
    micro,
    at: now,
    period,
    note: reason,
  });
  if (issued === "repeated") return;
  await record(ctx, {
    organizationId,
    actor: "system",
    at: now,
    action: actions[holder.table].given,
    subject,
    detail: `${formatExactCredits(micro)} given: ${allowanceName(period)}: ${reason}`,
  });
}

function hasExpired({ table, row }: Holder, now: number): boolean {
  return table === "apiKeys" && row.expiresAt !== undefined && row.expiresAt <= now;
}
