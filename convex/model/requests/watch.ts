import type { StreamPosition, WatchView } from "@gleaner/queue";
import { type Infer, v } from "convex/values";
import { parse } from "convex-helpers/validators";
import { requestStatusOf } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { requestStatus, textAnswer, usage, vectorAnswer, workReport } from "../validators.ts";

/** Where a watcher stands: the last chunk that it has. */
export const watchPosition = v.object({ attemptId: v.string(), seq: v.number() });

export const watchView = v.object({
  status: requestStatus,
  /** The number of the current attempt, 0 while there is none. */
  attempt: v.number(),
  attemptId: v.union(v.string(), v.null()),
  /** Chunks of the current attempt after the position; the next of them come with a later position. */
  chunks: v.array(v.object({ seq: v.number(), text: v.string() })),
  attempts: v.number(),
  /** By what was asked for. Null also once the answer was deleted: none is kept for long. */
  result: v.union(
    v.object({ ...textAnswer.fields, usage }),
    v.object({ ...vectorAnswer.fields, usage }),
    v.null(),
  ),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
});

/** A job as its requester sees it. Another attempt than the position's: its text from the start. */
export async function watch(
  ctx: QueryCtx,
  { organizationId, jobId, vectors }: Doc<"orders">,
  after: StreamPosition | undefined,
): Promise<Infer<typeof watchView>> {
  const { status, attempt, attemptId, chunks, attempts, error, ...done } = await queue.watch(
    ctx,
    organizationId,
    jobId,
    after,
  );
  return {
    status: requestStatusOf(status),
    attempt,
    attemptId,
    chunks,
    attempts,
    result: status === "succeeded" ? answerOf(done, vectors !== undefined) : null,
    error,
  };
}

function answerOf(
  { result, report }: Pick<WatchView, "result" | "report">,
  isVectors: boolean,
): Infer<typeof watchView>["result"] {
  if (result === undefined || result === null) return null;
  const { usage } = parse(workReport, report);
  return isVectors ? { ...parse(vectorAnswer, result), usage } : { ...parse(textAnswer, result), usage };
}
