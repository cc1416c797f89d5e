import type { Infer } from "convex/values";
import type { Usage } from "../../../app/jobs/chat.ts";
import { priceOf } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { outcome } from "../validators.ts";
import { deviceAccount, escrowOf, keyAccount } from "./accounts.ts";
import { transfer } from "./transfer.ts";

type Outcome = Infer<typeof outcome>;

/**
 * Each round of a job reserves once, and its reservation is closed once, by settlement or by release: both book under
 * this key, so that no job can be paid twice, nor paid and released.
 */
export function closingKey({ jobId, round }: Pick<Doc<"orders">, "jobId" | "round">): string {
  return `close:${jobId}:${String(round)}`;
}

/** Pays the device the true price, never more than was reserved, and gives the key the rest back. */
export async function settle(
  ctx: MutationCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  usage: Usage,
  at: number,
): Promise<bigint> {
  const price = priceOf(order.price, usage);
  const earned = price < order.reservedMicro ? price : order.reservedMicro;
  await close(ctx, order, "succeeded", at, [
    { account: deviceAccount(deviceId), micro: earned, jobs: 1 },
    { account: keyAccount(order.apiKeyId), micro: order.reservedMicro - earned },
  ]);
  return earned;
}

/** Gives the key its whole reservation back: the job ended without an answer. */
export async function releaseReservation(
  ctx: MutationCtx,
  order: Doc<"orders">,
  ended: Exclude<Outcome, "succeeded">,
  at: number,
): Promise<void> {
  await close(ctx, order, ended, at, [{ account: keyAccount(order.apiKeyId), micro: order.reservedMicro }]);
}

async function close(
  ctx: MutationCtx,
  order: Doc<"orders">,
  ended: Outcome,
  at: number,
  credits: readonly { readonly account: string; readonly micro: bigint; readonly jobs?: number }[],
): Promise<void> {
  const { organizationId, jobId, reservedMicro } = order;
  const booked = await transfer(ctx, {
    key: closingKey(order),
    organizationId,
    kind: ended === "succeeded" ? "settle" : "release",
    at,
    jobId,
    entries: [{ account: escrowOf(organizationId), micro: -reservedMicro, outcome: ended }, ...credits],
  });
  if (booked === "repeated") throw new Error(`job ${jobId} was already paid or released`);
}
