import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type AccountKind, kindOf } from "./transfer.ts";

/** Bounds the entries that one query reads. The projector clears them each minute. */
const maxPending = 2_000;
/** The same for a query that runs again with each of those entries. */
const maxShown = 250;
/** Bounds the accounts that are read once per organization, to start its totals. */
const maxAccounts = 8_000;

type ByKind = Readonly<Record<AccountKind, bigint>>;
type Ended = Readonly<Doc<"ledgerTotals">["ended"]>;
type Pending = Pick<Doc<"ledgerPending">, "account" | "micro" | "outcome">;
type Projected = { readonly byKind: ByKind; readonly ended: Ended };
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
  /** Of keys, with their reservations. */
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
  const { sum, byKind, ended } = totals(pending.length <= maxShown ? plus(projected, pending) : projected);
  return { sum, earned: byKind.device, spent: -byKind.issuance - byKind.key - byKind.escrow, ended };
}

async function projectedOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Projected> {
  return (await rowOf(ctx, organizationId)) ?? (await sumOfAccounts(ctx, organizationId));
}

function totals({ byKind, ended }: Projected): Totals {
  return { sum: byKind.issuance + byKind.key + byKind.escrow + byKind.device, byKind, ended };
}

/** Adds a transfer to its organization's totals. Call it before the transfer is added to the accounts. */
export async function addToTotals(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  entries: readonly Doc<"ledgerPending">[],
): Promise<void> {
  const row = await rowOf(ctx, organizationId);
  if (row !== null) {
    await ctx.db.patch("ledgerTotals", row._id, plus(row, entries));
    return;
  }
  const totals = plus(await sumOfAccounts(ctx, organizationId), entries);
  await ctx.db.insert("ledgerTotals", { organizationId, ...totals });
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
  return plus(
    { byKind: { issuance: 0n, key: 0n, escrow: 0n, device: 0n }, ended: noneEnded },
    accounts.map(({ account, balanceMicro }) => ({ account, micro: balanceMicro })),
  );
}

function plus(
  { byKind, ended }: Projected,
  entries: readonly Pending[],
): { byKind: Record<AccountKind, bigint>; ended: Doc<"ledgerTotals">["ended"] } {
  const sums = { ...byKind };
  const counts = { ...ended };
  for (const { account, micro, outcome } of entries) {
    sums[kindOf(account)] += micro;
    if (outcome !== undefined) counts[outcome] += 1;
  }
  return { byKind: sums, ended: counts };
}
