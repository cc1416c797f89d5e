import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { noteKeyMove } from "../credits/keyStatement.ts";
import { coverAccount, type Entry, issuanceAccount, keyAccount } from "../ledger/transfer.ts";
import { ratingOf } from "../orders/jobRating.ts";
import { paidByKey } from "../orders/orders.ts";

/**
 * The entries that give the price of a wrong answer back. The key gets what it paid, unless a dispute refunded that already. The
 * organization gets the rest: what it covered or refunded. Notes what the key got, so that nobody gives it twice.
 * @param micro of the price, without a bonus.
 */
export async function entriesBack(
  ctx: MutationCtx,
  order: Doc<"orders">,
  micro: bigint,
  at: number,
): Promise<Entry[]> {
  const { _id, organizationId, apiKeyId, coveredMicro = 0n, givenBackMicro = 0n } = order;
  const owed = await owedToKey(ctx, order);
  const toKey = least(micro, owed);
  const toCover = least(micro - toKey, coveredMicro);
  const toIssuance = micro - toKey - toCover;
  if (toKey > 0n) {
    await ctx.db.patch("orders", _id, { givenBackMicro: givenBackMicro + toKey });
    await noteKeyMove(ctx, {
      apiKeyId,
      at,
      micro: toKey,
      note: "Price of an answer of which checks found the text or the tokens wrong",
    });
  }
  const entries: readonly Entry[] = [
    { account: keyAccount(apiKeyId), micro: toKey },
    { account: coverAccount(organizationId), micro: toCover },
    { account: issuanceAccount(organizationId), micro: toIssuance },
  ];
  return entries.filter((entry) => entry.micro !== 0n);
}

/** The part of an answer's price that its key has paid and not got back. */
export async function owedToKey(ctx: QueryCtx, order: Doc<"orders">): Promise<bigint> {
  const isRefunded = (await ratingOf(ctx, order))?.decision?.refundMicro !== undefined;
  return isRefunded ? 0n : paidByKey(order) - (order.givenBackMicro ?? 0n);
}

function least(one: bigint, other: bigint): bigint {
  const smaller = one < other ? one : other;
  return smaller > 0n ? smaller : 0n;
}
