import type { StreamPosition, WatchView } from "@gleaner/queue";
import { priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { parse, validate } from "convex-helpers/validators";
import { requestStatusOf } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { jobErrorOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import {
  jobEnergy,
  shownAnswer,
  streamItem,
  timing,
  tokensAnswer,
  usage,
  vectorAnswer,
  workReport,
} from "../validators/answers.ts";
import { requestStatus } from "../validators/requests.ts";

/** The last chunk that a watcher has received. */
export const watchPosition = v.object({ attemptId: v.string(), seq: v.number() });

export const watchView = v.object({
  status: requestStatus,
  /** Number of the current attempt, from 1; 0 between attempts. */
  attempt: v.number(),
  attemptId: v.union(v.string(), v.null()),
  /** Chunks of the current attempt after the position. More may follow at a later position. */
  chunks: v.array(v.object({ seq: v.number(), text: v.string(), data: v.optional(v.array(streamItem)) })),
  attempts: v.number(),
  /** Null before the end, and again once the answer was deleted. */
  result: v.union(
    v.object({ ...shownAnswer.fields, usage, timing }),
    v.object({ ...vectorAnswer.fields, usage }),
    v.object({ tokens: tokensAnswer, usage }),
    v.null(),
  ),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
  /** How long it waited for its first start, in ms; null before that. */
  queueMs: v.union(v.number(), v.null()),
  /** The kind of computer that did it; null if that is not known. */
  deviceClass: v.union(v.string(), v.null()),
  /** The energy that its device used; null if that is not known. */
  energy: v.union(jobEnergy, v.null()),
  /** What the job has cost; null until it is paid. */
  priceMicro: v.union(v.int64(), v.null()),
  /** What it costs because of its priority, in percent of the model's price. */
  pricePercent: v.number(),
  /** The highest that the job has had, which it pays for. */
  priority,
});

export type RequestView = Infer<typeof watchView>;

/** A job as its requester sees it. If the attempt is not the position's, its text comes from the start. */
export async function watch(
  ctx: QueryCtx,
  order: Doc<"orders">,
  after: StreamPosition | undefined,
): Promise<RequestView> {
  const { organizationId, jobId, priceMicro, pricePercent = 100, deviceClass = null } = order;
  const { status, attempt, attemptId, chunks, attempts, submittedAt, startedAt, error, ...done } =
    await queue.watch(ctx, organizationId, jobId, after);
  return {
    status: requestStatusOf(status),
    attempt,
    attemptId,
    chunks: chunks.map(({ data, ...chunk }) => ({
      ...chunk,
      ...(data === undefined ? {} : { data: parse(v.array(streamItem), data) }),
    })),
    attempts,
    result: status === "succeeded" ? answerOf(done) : null,
    error: jobErrorOf(order, { status, error }),
    queueMs: startedAt === null ? null : startedAt - submittedAt,
    deviceClass,
    energy: order.energy ?? null,
    priceMicro: priceMicro ?? null,
    pricePercent,
    priority: order.priority ?? "normal",
  };
}

function answerOf({ result, report }: Pick<WatchView, "result" | "report">): RequestView["result"] {
  if (result === undefined || result === null) return null;
  const { usage, timing } = parse(workReport, report);
  if (validate(vectorAnswer, result)) return { ...result, usage };
  if (validate(tokensAnswer, result)) return { tokens: result, usage };
  return { ...parse(shownAnswer, result), usage, timing };
}
