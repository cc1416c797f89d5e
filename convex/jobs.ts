import { type FinalEvent, finalEvent } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { parse, validate } from "convex-helpers/validators";
import { assertNever } from "../app/assert-never.ts";
import { jobErrors } from "../app/contract/job-errors.ts";
import { deviceClassOf } from "../app/devices/device-class.ts";
import type { PartialPay } from "../app/money/credits.ts";
import { withoutClass } from "../app/money/price-list.ts";
import { internal } from "./_generated/api.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import { internalMutation, type MutationCtx } from "./_generated/server.js";
import { type LineEnd, noteLineEnd } from "./model/batches/collect.ts";
import { callJobEnded } from "./model/calls/calls.ts";
import { takeBonus } from "./model/credits/bonus.ts";
import { rulesRow } from "./model/credits/houseRules.ts";
import { shortestHeldMs } from "./model/devices/pastAttempts.ts";
import { modelsOfDevice } from "./model/devices/report.ts";
import { dueOf, type Outrun, releaseReservation, settle } from "./model/ledger/reservations.ts";
import { endedCall, jobErrorOf, orderOf } from "./model/orders/orders.ts";
import { pricePartsOf } from "./model/orders/priceParts.ts";
import { areOneOwner } from "./model/owners.ts";
import { queue } from "./model/queue.ts";
import { writeReceipt } from "./model/receipts/write.ts";
import { present } from "./model/refuse.ts";
import { forgetRunnerStops, noteMetSchema, noteUnmetSchema } from "./model/requests/restriction.ts";
import { tellCorrection } from "./model/trust/corrections.ts";
import { modeIn } from "./model/trust/mode.ts";
import { isPayHeld, noteHeldPay } from "./model/trust/pay.ts";
import { deviceReport, textAnswer } from "./model/validators/answers.ts";
import { reply } from "./model/validators/prices.ts";
import { tellJobEnd } from "./model/webhooks/events.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Pays the device of a job that ended, or releases the reservation. The queue calls it in the transaction that ends the
 * job. The device gets the result as `reply`; an error undoes the job's end.
 */
export const onFinal = internalMutation({
  args: finalEvent.fields,
  returns: v.union(reply, v.null()),
  handler: async (ctx, event) => {
    if (isSuspicious(event)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.judgeDevicesOf, { jobId: event.jobId });
    }
    return await close(ctx, event, Date.now());
  },
});

type Reply = Infer<typeof reply>;

/**
 * Whether the end of the job may tell something about a device: one that failed or returned it, held it for long, or was so
 * slow that another device did it.
 */
function isSuspicious({ failures = 0, returns = 0, outrun, outcome, heldMs = 0 }: FinalEvent): boolean {
  return (
    outrun !== undefined || failures + returns > 0 || (outcome === "canceled" && heldMs >= shortestHeldMs)
  );
}

/** Closes the order of a job that ended: pays the device for an answer, or releases the reservation. */
async function close(ctx: MutationCtx, event: FinalEvent, at: number): Promise<Reply | null> {
  const order = present(await orderOf(ctx, event.jobId), "order of a job");
  if (event.round !== order.round)
    throw new Error(`job ${event.jobId} is not in round ${String(event.round)}`);
  // A batch has the first end only: its files say that a dead letter failed, even if an admin retries it.
  if (order.batchLine !== undefined && event.round === 0) {
    await noteLineEnd(ctx, order.batchLine, { jobId: event.jobId, ...failureOf(order, event) });
  }
  if (order.call !== undefined) await callJobEnded(ctx, order.call, event, at);
  await tellJobEnd(ctx, order, event, at);
  switch (event.outcome) {
    case "succeeded":
      if ((event.failures ?? 0) > 0) await forgetRunnerStops(ctx, order);
      if (order.tries !== undefined) await noteMetSchema(ctx, order);
      await tellCorrection(ctx, order, at);
      return await pay(ctx, order, event, at);
    case "failed":
    case "canceled":
    case "expired":
      if (event.error?.code === jobErrors.schemaNotMet.code) await noteUnmetSchema(ctx, order, at);
      await releaseReservation(ctx, order, event.outcome, at);
      if (order.endsWithCall !== undefined) {
        await ctx.db.patch("orders", order._id, endedCall);
      }
      return null;
    default:
      return assertNever(event.outcome);
  }
}

/** The failure of a batch's job; none if it has an answer. */
function failureOf(order: Doc<"orders">, { outcome: status, error }: FinalEvent): LineEnd {
  if (status === "succeeded") return {};
  return { failure: { kind: "ended", status, error: jobErrorOf(order, { status, error }) } };
}

async function pay(ctx: MutationCtx, order: Doc<"orders">, event: FinalEvent, at: number): Promise<Reply> {
  const report = parse(deviceReport, event.report);
  const { usage, energy } = report;
  const deviceId = present(ctx.db.normalizeId("devices", event.worker ?? ""), "device of a finished job");
  const isOwn = await isOwnDevice(ctx, order, deviceId);
  const outrun = await outrunOf(ctx, order, event);
  const deviceClass = await classOf(ctx, deviceId, order.modelId);
  const rules = isOwn ? null : await rulesRow(ctx, order.organizationId);
  const bonus = await takeBonus(ctx, rules?.bonus ?? null, deviceId, dueOf(order, usage).micro, at);
  const acts = !isOwn && modeIn(rules) === "act";
  const isHeld = acts && (await isPayHeld(ctx, order, deviceId, at));
  const finisher = { deviceId, isOwn, bonusMicro: bonus?.bonusMicro ?? 0n, isHeld };
  const { earned, outrunPay, coveredMicro } = await settle(ctx, order, finisher, usage, at, outrun);
  if (isHeld) {
    const { bonusMicro } = finisher;
    await noteHeldPay(ctx, order, { deviceId, micro: earned + bonusMicro, bonusMicro, at });
  }
  const priceMicro = earned + (outrunPay?.micro ?? 0n);
  await ctx.db.patch("orders", order._id, {
    priceMicro,
    ...(coveredMicro === 0n ? {} : { coveredMicro }),
    ...(outrunPay === null ? {} : { outrunMicro: outrunPay.micro }),
    ...(isOwn ? { ownJob: true } : {}),
    ...(acts ? { paidOwner: (await ctx.db.get("devices", deviceId))?.owner ?? null } : {}),
    ...bonus,
    usage,
    ...(energy === undefined ? {} : { energy }),
    ...(deviceClass === null ? {} : { deviceClass }),
    ...endedCall,
  });
  await writeReceipt(ctx, order, { deviceId, deviceClass, report, kept: event.report, priceMicro, at });
  return {
    earnedMicro: earned + finisher.bonusMicro,
    ...(await priceTold(ctx, order)),
    ...(outrunPay === null ? {} : outrunTold(outrunPay)),
    ...bonus,
    ...(isOwn ? { ownJob: true } : {}),
    ...(isHeld ? { held: true } : {}),
  };
}

/** The price of a job, for the explanation of its pay. Few jobs have a percent, so most read nothing for it. */
async function priceTold(ctx: MutationCtx, order: Doc<"orders">): Promise<Omit<Reply, "earnedMicro">> {
  const { price, pricePercent = 100, priceVersion } = order;
  const version = priceVersion === undefined ? {} : { priceVersion };
  if (pricePercent === 100) return { price, ...version };
  const parts = await pricePartsOf(ctx, order);
  const told = parts === null ? null : withoutClass(parts);
  return { price, pricePercent, ...version, ...(told === null ? {} : { priceParts: told }) };
}

function outrunTold({ micro, paid, limit }: PartialPay): Partial<Reply> {
  return { outrunMicro: micro, outrunUsage: paid, ...(limit === null ? {} : { outrunLimit: limit }) };
}

/** The kind of computer that a device is; null if the device is gone. */
async function classOf(ctx: MutationCtx, deviceId: Id<"devices">, modelId: string): Promise<string | null> {
  const [device, models] = await Promise.all([
    ctx.db.get("devices", deviceId),
    modelsOfDevice(ctx, deviceId),
  ]);
  const measured = models.find((model) => model.modelId === modelId)?.speed;
  return device === null ? null : deviceClassOf(device.platform, measured?.backend ?? null);
}

/** Whether the device belongs to the owner of the job's key. Nobody is paid for their own jobs. */
async function isOwnDevice(
  ctx: MutationCtx,
  { apiKeyId }: Doc<"orders">,
  deviceId: Id<"devices">,
): Promise<boolean> {
  const [key, device] = await Promise.all([ctx.db.get("apiKeys", apiKeyId), ctx.db.get("devices", deviceId)]);
  return await areOneOwner(ctx, key?.owner, device?.owner);
}

/**
 * The device that was outrun, and what it did: the part of the answer that it had streamed. Both devices work with one seed, so
 * the answer begins with it. What a device cannot show is not paid: neither a claim of tokens nor time.
 */
async function outrunOf(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { scope, jobId, outrun }: FinalEvent,
): Promise<Outrun | null> {
  const deviceId = outrun === undefined ? null : ctx.db.normalizeId("devices", outrun.worker);
  if (outrun === undefined || deviceId === null || (await isOwnDevice(ctx, order, deviceId))) return null;
  const answer = (await queue.result(ctx, scope, jobId))?.result;
  if (!validate(textAnswer, answer) || answer.text === "") return null;
  const chars = await queue.streamedChars(ctx, scope, outrun.attemptId, answer.text);
  return { deviceId, share: chars / answer.text.length };
}
