import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type AccountKind, kindOf, noAmounts } from "./transfer.ts";

/** Bounds the entries that one query reads. The projector clears them each minute. */
const maxPending = 2_000;
/** The same for a query that runs again with each of those entries. */
const maxShown = 250;
/** Bounds the accounts that are read once per organization, to start its totals. */
const maxAccounts = 8_000;

type ByKind = Readonly<Record<AccountKind, bigint>>;
type Ended = Readonly<Doc<"ledgerTotals">["ended"]>;
type Pending = Pick<Doc<"ledgerPending">, "account" | "micro" | "outcome" | "takenBack">;
/** `moved`: what devices earned and their owners have moved elsewhere. */
type Projected = { readonly byKind: ByKind; readonly ended: Ended; readonly moved: bigint };
export type Totals = Projected & { readonly sum: bigint };

const noneEnded: Ended = { succeeded: 0, failed: 0, canceled: 0, expired: 0 };

/**
 * An organization's balances by kind of account, and the number of its jobs by outcome. The balances always sum to zero.
 * Pending entries are included unless there are too many for one query. Without them the balances still sum to zero,
 * because the projector adds whole transfers.
 */
export async function totalsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Totals> {
  const [projected, pending] = await Promise.all([
    projectedOf(ctx, organizationId),
    ctx.db
      .query("ledgerPending")
      .withIndex("by_organization_reserves", (q) => q.eq("organizationId", organizationId))
      .take(maxPending + 1),
  ]);
  return totals(pending.length <= maxPending ? plus(projected, pending) : projected);
}

/** An organization's ledger in the numbers that people look at. */
export type ShownTotals = {
  /** Always zero. */
  readonly sum: bigint;
  /** Of devices. */
  readonly earned: bigint;
  /** By keys, for jobs. Bonuses, the pay of checks, and what the organization covered, are not theirs. */
  readonly spent: bigint;
  readonly ended: Ended;
};

/**
 * The same without reservations, which change none of these numbers: so a submission does not run the caller again. A busy
 * organization sees its totals of the last minute, and the end of a job does not run the caller again either.
 */
export async function shownTotalsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<ShownTotals> {
  const [projected, pending] = await Promise.all([
    projectedOf(ctx, organizationId),
    ctx.db
      .query("ledgerPending")
      .withIndex("by_organization_reserves", (q) =>
        q.eq("organizationId", organizationId).eq("reserves", undefined),
      )
      .take(maxShown + 1),
  ]);
  const found = totals(pending.length <= maxShown ? plus(projected, pending) : projected);
  const { sum, byKind, moved, ended } = found;
  const earned = byKind.device + moved;
  const paidElsewhere = byKind.bonus + byKind.check + byKind.cover;
  return { sum, earned, spent: earned + byKind.held + paidElsewhere, ended };
}

async function projectedOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Projected> {
  const row = await rowOf(ctx, organizationId);
  return row === null ? await sumOfAccounts(ctx, organizationId) : projectedIn(row);
}

function projectedIn({ byKind, ended, movedMicro = 0n }: Doc<"ledgerTotals">): Projected {
  return { byKind: { ...noAmounts, ...byKind }, ended, moved: movedMicro };
}

function totals(projected: Projected): Totals {
  return { sum: Object.values(projected.byKind).reduce((sum, micro) => sum + micro, 0n), ...projected };
}

/** Adds a transfer to its organization's totals. Call it before the transfer is added to the accounts. */
export async function addToTotals(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  entries: readonly Doc<"ledgerPending">[],
): Promise<void> {
  const row = await rowOf(ctx, organizationId);
  const before = row === null ? await sumOfAccounts(ctx, organizationId) : projectedIn(row);
  const { byKind, ended, moved } = plus(before, entries);
  const changed = { byKind: { ...byKind }, ended: { ...ended }, movedMicro: moved };
  if (row === null) await ctx.db.insert("ledgerTotals", { organizationId, ...changed });
  else await ctx.db.patch("ledgerTotals", row._id, changed);
}

async function rowOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"ledgerTotals"> | null> {
  return await ctx.db
    .query("ledgerTotals")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** Totals of a ledger that is older than the table of totals. */
async function sumOfAccounts(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Projected> {
  const accounts = await ctx.db
    .query("accounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxAccounts);
  const { byKind } = plus(
    { byKind: noAmounts, ended: noneEnded, moved: 0n },
    accounts.map(({ account, balanceMicro }) => ({ account, micro: balanceMicro })),
  );
  return { byKind, ended: noneEnded, moved: 0n };
}

function plus(before: Projected, entries: readonly Pending[]): Projected {
  const byKind = { ...before.byKind };
  const ended = { ...before.ended };
  let { moved } = before;
  for (const { account, micro, outcome, takenBack = false } of entries) {
    const kind = kindOf(account);
    byKind[kind] += micro;
    if (kind === "device" && micro < 0n && !takenBack) moved -= micro;
    if (outcome !== undefined) ended[outcome] += 1;
  }
  return { byKind, ended, moved };
}
