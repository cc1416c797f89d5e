import type { Usage } from "../../../app/jobs/chat.ts";
import { priceOf } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deviceAccount, escrowOf, keyAccount } from "./accounts.ts";
import { transfer } from "./transfer.ts";

/**
 * A reservation is closed once, by settlement or by release: both book under this key, so that no job
 * can be paid twice, nor paid and released.
 */
export const closingKey = (jobId: Id<"jobs">): string => `close:${jobId}`;

/** Pays the device the true price, never more than was reserved, and gives the key the rest back. */
export async function settle(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  deviceId: Id<"devices">,
  usage: Usage,
  at: number,
): Promise<bigint> {
  const price = priceOf(job.price, usage);
  const earned = price < job.reservedMicro ? price : job.reservedMicro;
  await close(ctx, job, "settle", at, [
    { account: deviceAccount(deviceId), micro: earned, jobs: 1 },
    { account: keyAccount(job.apiKeyId), micro: job.reservedMicro - earned },
  ]);
  return earned;
}

/** Gives the key its whole reservation back: the job failed for good or was canceled. */
export async function releaseReservation(ctx: MutationCtx, job: Doc<"jobs">, at: number): Promise<void> {
  await close(ctx, job, "release", at, [{ account: keyAccount(job.apiKeyId), micro: job.reservedMicro }]);
}

async function close(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  kind: "settle" | "release",
  at: number,
  credits: readonly { readonly account: string; readonly micro: bigint; readonly jobs?: number }[],
): Promise<void> {
  const outcome = await transfer(ctx, {
    key: closingKey(job._id),
    organizationId: job.organizationId,
    kind,
    at,
    jobId: job._id,
    entries: [{ account: escrowOf(job.organizationId), micro: -job.reservedMicro }, ...credits],
  });
  if (outcome === "repeated") throw new Error(`job ${job._id} was already paid or released`);
}
