import { attemptStatus, type AttemptView, requirements } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals, validate } from "convex-helpers/validators";
import { visibleText } from "../../../app/format/visible.ts";
import { scopeOf } from "../../../app/people/rights.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { highestMicro } from "../ledger/reservations.ts";
import { may, type MemberCtx } from "../memberCalls.ts";
import { queue } from "../queue.ts";
import { foundWrong, jobEnergy, timing, usage, workReport } from "../validators/answers.ts";
import { price, priceParts } from "../validators/prices.ts";
import { mayRate, ratingView, seenRating } from "./jobRating.ts";
import { jobRow, jobRowsOf } from "./jobRow.ts";
import { refuseDeletedJob } from "./orders.ts";
import { mayLook } from "./payloadAccess.ts";
import { pricePartsOf } from "./priceParts.ts";

const attempt = v.object({
  ...jobRow.fields.attempts.element.fields,
  status: attemptStatus,
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
  /** Why the device gave the job back; null if it did not. */
  releaseReason: v.union(v.string(), v.null()),
  /** Of the attempt that ended the job. */
  work: v.union(v.object({ usage, timing }), v.null()),
});

export const jobDetail = v.object({
  ...jobRow.fields,
  attempts: v.array(attempt),
  /** Its comment is null for those who may not read it. */
  rating: v.union(ratingView, v.null()),
  /** Whether the member may rate its answer. */
  mayRate: v.boolean(),
  /** The alias by which the request named the model; null if it used the model's own name. */
  alias: v.union(v.string(), v.null()),
  requirements,
  /** The batch that it is a request of, and its place in the batch's file. */
  batch: v.union(v.object({ batchId: v.id("batches"), line: v.number(), customId: v.string() }), v.null()),
  energy: v.union(jobEnergy, v.null()),
  /** That checks found its answer wrong; null if they did not. */
  foundWrong: v.union(foundWrong, v.null()),
  /** The job whose wrong answer it replaces. */
  corrects: v.union(v.string(), v.null()),
  /** Whether the member may read its receipt, which it may not have yet. */
  receipt: v.boolean(),
  /** Failed or lost attempts in this round. */
  failures: v.number(),
  /** Null for those who see no money. */
  cost: v.union(
    v.object({
      price,
      percent: v.number(),
      /** The percents that make `percent`; null if the versions of its price are older than they. */
      parts: v.union(priceParts, v.null()),
      version: v.union(v.string(), v.null()),
      reservedMicro: v.int64(),
      mostMicro: v.int64(),
      /** The part that the organization paid, since the key had too few credits. */
      coveredMicro: v.int64(),
      /** The part that paid a device which another one outran. */
      outrunMicro: v.int64(),
      settled: v.boolean(),
    }),
    v.null(),
  ),
  /** Whether the member may look at the request and the answer. */
  payload: literals("allowed", "not-allowed"),
});

/** All about a job but its request and its answer. Refuses: not_found (also if the queue has deleted it). */
export async function jobDetailOf(
  ctx: QueryCtx & MemberCtx,
  order: Doc<"orders">,
): Promise<Infer<typeof jobDetail>> {
  const { organizationId } = ctx;
  const [job, attempts, canLook, rating, canRate] = await Promise.all([
    queue.status(ctx, organizationId, order.jobId),
    queue.attempts(ctx, organizationId, order.jobId),
    mayLook(ctx, order),
    seenRating(ctx, order),
    mayRate(ctx, order),
  ]);
  const [row] = job === null ? [] : await jobRowsOf(ctx, [job]);
  if (job === null || row === undefined) return refuseDeletedJob();
  const seesDevices = scopeOf("devices.read", ctx.member.roles) === "all";
  return {
    ...row,
    attempts: attempts.map((each) => attemptOf(each, seesDevices)),
    rating,
    mayRate: canRate && job.status === "succeeded",
    alias: order.alias ?? null,
    requirements: job.requirements,
    batch: batchOf(order),
    energy: order.energy ?? null,
    foundWrong: order.foundWrong ?? null,
    corrects: order.corrects ?? null,
    receipt: order.priceMicro !== undefined && may(ctx, "money.read") && canLook,
    failures: job.failures,
    cost: may(ctx, "money.read") ? await costOf(ctx, order) : null,
    payload: canLook ? "allowed" : "not-allowed",
  };
}

async function costOf(
  ctx: QueryCtx,
  order: Doc<"orders">,
): Promise<NonNullable<Infer<typeof jobDetail>["cost"]>> {
  return {
    price: order.price,
    percent: order.pricePercent ?? 100,
    parts: await pricePartsOf(ctx, order),
    version: order.priceVersion ?? null,
    reservedMicro: order.reservedMicro,
    mostMicro: highestMicro(order),
    coveredMicro: order.coveredMicro ?? 0n,
    outrunMicro: order.outrunMicro ?? 0n,
    settled: order.priceMicro !== undefined,
  };
}

function batchOf({ batchLine }: Doc<"orders">): Infer<typeof jobDetail>["batch"] {
  if (batchLine === undefined) return null;
  const { batchId, line, customId } = batchLine;
  return { batchId, line, customId: visibleText(customId) };
}

function attemptOf(attempt: AttemptView, seesDevices: boolean) {
  const { number, worker, workerName, status, claimedAt, endedAt, error, releaseReason, report } = attempt;
  return {
    number,
    deviceId: seesDevices ? worker : null,
    deviceName: visibleText(workerName),
    status,
    startedAt: claimedAt,
    endedAt,
    error,
    releaseReason,
    work: workOf(report),
  };
}

/** The device's report about its work. Reports have more fields, such as the signature. */
function workOf(report: unknown): Infer<typeof workReport> | null {
  if (typeof report !== "object" || report === null) return null;
  const { usage, timing } = report as Record<string, unknown>;
  const found = { usage, timing };
  return validate(workReport, found) ? found : null;
}
