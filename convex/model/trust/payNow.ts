import type { AttemptView } from "@gleaner/queue/validators";
import { validate } from "convex-helpers/validators";
import type { Pay } from "../../../app/trust/case.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import type { CheckedPay } from "../devices/history.ts";
import { deviceAccount } from "../ledger/transfer.ts";
import { reply } from "../validators/prices.ts";
import { entriesOf, heldKey, heldPayOf } from "./pay.ts";

/** Cases of a device that are looked at, newest first. A wrong answer pauses its device, so few of them took pay back. */
const mostCases = 200;

/** The present pay of a device's attempts whose pay checks held or took back, by job. Others are paid as they were told. */
export async function payNow(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
  attempts: readonly Pick<AttemptView, "jobId" | "status" | "reply">[],
): Promise<ReadonlyMap<string, CheckedPay>> {
  const cases = await ctx.db
    .query("trustCases")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .order("desc")
    .take(mostCases);
  const taken = new Map(cases.map(({ jobId, takenMicro = 0n }) => [jobId, takenMicro]));
  const open = new Set(cases.flatMap(({ jobId, state }) => (state === "open" ? [jobId] : [])));
  const found = attempts.map(async ({ jobId, status, reply: told }): Promise<[string, CheckedPay][]> => {
    const takenMicro = taken.get(jobId) ?? 0n;
    const wasHeld = status === "succeeded" && validate(reply, told) && told.held === true;
    const mayBeHeld = status === "succeeded" && open.has(jobId);
    if (!wasHeld && !mayBeHeld && takenMicro === 0n) return [];
    const pay = wasHeld || mayBeHeld ? await heldNow(ctx, deviceId, jobId) : "paid";
    return [[jobId, { pay, takenMicro }]];
  });
  return new Map((await Promise.all(found)).flat());
}

async function heldNow(ctx: QueryCtx, deviceId: Id<"devices">, jobId: string): Promise<Pay> {
  if ((await heldPayOf(ctx, jobId)) !== null) return "held";
  // Only pay that was released has an entry of the device. Entries that were archived are old enough to be paid.
  const end = await entriesOf(ctx, heldKey(jobId));
  const wasReleased = end.length === 0 || end.some(({ account }) => account === deviceAccount(deviceId));
  return wasReleased ? "paid" : "refused";
}
