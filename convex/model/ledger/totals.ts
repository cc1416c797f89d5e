import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { type AccountKind, kindOf } from "./accounts.ts";

/** Bounds what one query reads: accounts are keys and devices; pending entries are folded each minute. */
const maxAccounts = 2_000;
const maxPending = 2_000;

export type Totals = { readonly sum: bigint; readonly byKind: Readonly<Record<AccountKind, bigint>> };

/**
 * An organization's balances by kind of account; their sum is zero, always. Where more is pending than one
 * query may read, the folded part alone: the projector folds whole transfers, so it sums to zero as well.
 */
export async function totalsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Totals> {
  const accounts = await ctx.db
    .query("accounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxAccounts);
  const pending = await ctx.db
    .query("ledgerPending")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxPending + 1);
  const byKind: Record<AccountKind, bigint> = { issuance: 0n, key: 0n, escrow: 0n, device: 0n };
  for (const row of accounts) byKind[kindOf(row.account)] += row.balanceMicro;
  if (pending.length <= maxPending) {
    for (const entry of pending) byKind[kindOf(entry.account)] += entry.micro;
  }
  return { sum: byKind.issuance + byKind.key + byKind.escrow + byKind.device, byKind };
}
