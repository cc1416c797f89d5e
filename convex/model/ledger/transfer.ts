import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

export type Transfer = {
  /** Books once: a second transfer under the same key changes nothing. */
  readonly key: string;
  readonly organizationId: Id<"organizations">;
  readonly kind: Doc<"ledgerEntries">["kind"];
  readonly at: number;
  readonly jobId?: string;
  readonly entries: readonly Entry[];
};

type Entry = {
  readonly account: string;
  readonly micro: bigint;
  readonly jobs?: number;
  readonly outcome?: NonNullable<Doc<"ledgerPending">["outcome"]>;
};

/**
 * Appends a transfer's entries, which must sum to zero. Reads nothing but its own key's entries, so that
 * two transfers never collide on a balance; the projector folds them into `accounts` later.
 */
export async function transfer(ctx: MutationCtx, booking: Transfer): Promise<"booked" | "repeated"> {
  const sum = booking.entries.reduce((total, entry) => total + entry.micro, 0n);
  if (sum !== 0n) throw new Error(`transfer ${booking.key} is off by ${String(sum)}`);
  const earlier = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", booking.key))
    .first();
  if (earlier !== null) return "repeated";
  const { organizationId, kind, at, key: transferKey } = booking;
  for (const { account, micro, jobs = 0, outcome } of booking.entries) {
    await ctx.db.insert("ledgerEntries", {
      organizationId,
      transferKey,
      kind,
      account,
      micro,
      at,
      ...(booking.jobId === undefined ? {} : { jobId: booking.jobId }),
    });
    await ctx.db.insert("ledgerPending", {
      organizationId,
      transferKey,
      account,
      micro,
      at,
      jobs,
      ...(outcome === undefined ? {} : { outcome }),
    });
  }
  return "booked";
}
