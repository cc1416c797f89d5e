import { parse } from "convex-helpers/validators";
import { type Infer, v } from "convex/values";
import { requestStatusOf } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import type { StreamPosition, WatchView } from "../../queue/component.ts";
import { queue } from "../queue.ts";
import { chatReport, chatText, requestStatus, usage } from "../validators.ts";

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
  /** Null also once the text was deleted: answers are not kept for long. */
  result: v.union(v.object({ ...chatText.fields, usage }), v.null()),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
});

/** A job as its requester sees it. Another attempt than the position's: its text from the start. */
export async function watch(
  ctx: QueryCtx,
  { organizationId, jobId }: Doc<"orders">,
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
    result: status === "succeeded" ? answerOf(done) : null,
    error,
  };
}

function answerOf({
  result,
  report,
}: Pick<WatchView, "result" | "report">): Infer<typeof watchView>["result"] {
  if (result === undefined || result === null) return null;
  return { ...parse(chatText, result), usage: parse(chatReport, report).usage };
}
