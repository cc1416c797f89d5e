import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { noteKeyMove } from "../credits/keyStatement.ts";
import { coverAccount, type Entry, issuanceAccount, keyAccount, transfer } from "../ledger/transfer.ts";
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
  const { organizationId, apiKeyId, coveredMicro = 0n } = order;
  const owed = await owedToKey(ctx, order);
  const toKey = least(micro, owed);
  const toCover = least(micro - toKey, coveredMicro);
  const toIssuance = micro - toKey - toCover;
  if (toKey > 0n) await noteGivenBack(ctx, order, toKey, at);
  const entries: readonly Entry[] = [
    { account: keyAccount(apiKeyId), micro: toKey },
    { account: coverAccount(organizationId), micro: toCover },
    { account: issuanceAccount(organizationId), micro: toIssuance },
  ];
  return entries.filter((entry) => entry.micro !== 0n);
}

/**
 * Gives the key of a wrong answer the part of its price that paid another device, which had written a part and was outrun. That device did
 * nothing wrong and keeps its pay, so the organization gives the credits. Call it once the rest of the price is given back.
 */
export async function giveOutrunBack(ctx: MutationCtx, order: Doc<"orders">, at: number): Promise<void> {
  const { organizationId, apiKeyId, jobId, outrunMicro = 0n } = order;
  const micro = least(outrunMicro, await owedToKey(ctx, order));
  if (micro === 0n) return;
  const entries = [
    { account: coverAccount(organizationId), micro: -micro },
    { account: keyAccount(apiKeyId), micro },
  ];
  const key = `outrun-back:${jobId}`;
  const booked = await transfer(ctx, { key, organizationId, kind: "move", at, jobId, entries });
  if (booked === "booked") await noteGivenBack(ctx, order, micro, at);
}

/** Notes what a key got back, on its statement and so that nobody gives it twice. */
async function noteGivenBack(
  ctx: MutationCtx,
  { _id, apiKeyId, givenBackMicro = 0n }: Doc<"orders">,
  micro: bigint,
  at: number,
): Promise<void> {
  await ctx.db.patch("orders", _id, { givenBackMicro: givenBackMicro + micro });
  await noteKeyMove(ctx, { apiKeyId, at, micro, source: { kind: "given-back" } });
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
