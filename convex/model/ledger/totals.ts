import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type AccountKind, kindOf } from "./accounts.ts";

/** Bounds what one query reads; pending entries are folded each minute. */
const maxPending = 2_000;
/** Read once per organization: when its totals are first kept. */
const maxAccounts = 8_000;

type ByKind = Readonly<Record<AccountKind, bigint>>;
type Ended = Readonly<Doc<"ledgerTotals">["ended"]>;
type Pending = Pick<Doc<"ledgerPending">, "account" | "micro" | "outcome">;
type Folded = { readonly byKind: ByKind; readonly ended: Ended };
export type Totals = Folded & { readonly sum: bigint };

const noneEnded: Ended = { succeeded: 0, failed: 0, canceled: 0, expired: 0 };

/**
 * An organization's balances by kind of account, whose sum is zero, always; and how many of its jobs ended how, which
 * is how often a reservation was closed so. Where more is pending than one query may read, the folded part alone: the
 * projector folds whole transfers, so it sums to zero as well.
 */
export async function totalsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Totals> {
  const row = await rowOf(ctx, organizationId);
  const folded = row ?? (await sumOfAccounts(ctx, organizationId));
  const pending = await ctx.db
    .query("ledgerPending")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxPending + 1);
  const { byKind, ended } = pending.length <= maxPending ? plus(folded, pending) : folded;
  return { sum: byKind.issuance + byKind.key + byKind.escrow + byKind.device, byKind, ended };
}

/** Folds a transfer into its organization's totals. To be called before it is folded into the accounts. */
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
  const folded = plus(await sumOfAccounts(ctx, organizationId), entries);
  await ctx.db.insert("ledgerTotals", { organizationId, ...folded });
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
async function sumOfAccounts(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Folded> {
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
  { byKind, ended }: Folded,
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
