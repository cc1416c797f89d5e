import type { AttemptView } from "@gleaner/queue/validators";
import { validate } from "convex-helpers/validators";
import type { Pay } from "../../../app/trust/case.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { deviceAccount } from "../ledger/transfer.ts";
import { reply } from "../validators.ts";
import { heldKey, heldPayOf } from "./pay.ts";

/** The pay of an answer after checks. `takenMicro`: what was paid, and taken back because the answer was wrong. */
export type PayNow = { readonly pay: Pay; readonly takenMicro: bigint };

/** Cases of a device that are looked at, newest first. A wrong answer pauses its device, so few of them took pay back. */
const mostCases = 200;

/** The pay now of those attempts of one device that checks held or took back, by job. Others are paid as they were told. */
export async function payNow(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
  attempts: readonly Pick<AttemptView, "jobId" | "status" | "reply">[],
): Promise<ReadonlyMap<string, PayNow>> {
  const cases = await ctx.db
    .query("trustCases")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .order("desc")
    .take(mostCases);
  const taken = new Map(cases.map(({ jobId, takenMicro = 0n }) => [jobId, takenMicro]));
  const found = attempts.map(async ({ jobId, status, reply: told }): Promise<[string, PayNow][]> => {
    const takenMicro = taken.get(jobId) ?? 0n;
    const wasHeld = status === "succeeded" && validate(reply, told) && told.held === true;
    if (!wasHeld && takenMicro === 0n) return [];
    return [[jobId, { pay: wasHeld ? await heldNow(ctx, deviceId, jobId) : "paid", takenMicro }]];
  });
  return new Map((await Promise.all(found)).flat());
}

async function heldNow(ctx: QueryCtx, deviceId: Id<"devices">, jobId: string): Promise<Pay> {
  if ((await heldPayOf(ctx, jobId)) !== null) return "held";
  // Only pay that was released has an entry of the device. Entries that were archived are old enough to be paid.
  const end = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", heldKey(jobId)))
    .take(mostEntries);
  const wasReleased = end.length === 0 || end.some(({ account }) => account === deviceAccount(deviceId));
  return wasReleased ? "paid" : "refused";
}

/** The end of held pay has an entry of its account, and one for each of at most four that get something. */
const mostEntries = 5;
