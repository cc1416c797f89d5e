import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type AccountKind, kindOf } from "./accounts.ts";

/** Bounds what one query reads; pending entries are folded each minute. */
const maxPending = 2_000;
/** Read once per organization: when its totals are first kept. */
const maxAccounts = 8_000;

type ByKind = Readonly<Record<AccountKind, bigint>>;
export type Totals = { readonly sum: bigint; readonly byKind: ByKind };

/**
 * An organization's balances by kind of account; their sum is zero, always. Where more is pending than one
 * query may read, the folded part alone: the projector folds whole transfers, so it sums to zero as well.
 */
export async function totalsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Totals> {
  const row = await rowOf(ctx, organizationId);
  const folded = row?.byKind ?? (await sumOfAccounts(ctx, organizationId));
  const pending = await ctx.db
    .query("ledgerPending")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxPending + 1);
  const byKind = pending.length <= maxPending ? plus(folded, pending) : folded;
  return { sum: byKind.issuance + byKind.key + byKind.escrow + byKind.device, byKind };
}

/** Folds a transfer into its organization's totals. To be called before it is folded into the accounts. */
export async function addToTotals(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  entries: readonly Doc<"ledgerPending">[],
): Promise<void> {
  const row = await rowOf(ctx, organizationId);
  if (row !== null) {
    await ctx.db.patch("ledgerTotals", row._id, { byKind: plus(row.byKind, entries) });
    return;
  }
  const byKind = plus(await sumOfAccounts(ctx, organizationId), entries);
  await ctx.db.insert("ledgerTotals", { organizationId, byKind });
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

/** For a ledger that was begun before totals were kept. */
async function sumOfAccounts(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<ByKind> {
  const accounts = await ctx.db
    .query("accounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxAccounts);
  return plus(
    { issuance: 0n, key: 0n, escrow: 0n, device: 0n },
    accounts.map(({ account, balanceMicro }) => ({ account, micro: balanceMicro })),
  );
}

function plus(
  { issuance, key, escrow, device }: ByKind,
  entries: readonly { readonly account: string; readonly micro: bigint }[],
): Record<AccountKind, bigint> {
  const sums = { issuance, key, escrow, device };
  for (const { account, micro } of entries) sums[kindOf(account)] += micro;
  return sums;
}
