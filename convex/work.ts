import { type QueueComponent, workerMutations } from "@gleaner/queue";
import type { FunctionReturnType } from "convex/server";
import { v } from "convex/values";
import { reportedError } from "../app/contract/job-errors.ts";
import { mutation } from "./_generated/server.js";
import { authenticateDevice } from "./model/authenticate.ts";
import { endActivity } from "./model/devices/report.ts";
import { queue } from "./model/queue.ts";
import { checkAnswer } from "./model/requests/answer.ts";
import { textAnswer, vectorAnswer, workReport } from "./model/validators.ts";

// The functions that a device calls as a worker of the queue, with its key. Three of them do more here.
export * from "@gleaner/queue/work";

type Completed = FunctionReturnType<QueueComponent["work"]["complete"]>;
type Failed = FunctionReturnType<QueueComponent["work"]["fail"]>;

/**
 * Completes an attempt: stores the result, pays the device (`reply`: how much) and claims the next jobs that it wants.
 * Refuses (invalid, too_large) an answer that is out of bounds or does not fit the request.
 */
export const complete = mutation({
  args: {
    ...workerMutations.complete.args,
    key: v.string(),
    result: v.union(textAnswer, vectorAnswer),
    report: workReport,
  },
  handler: async (ctx, call): Promise<Completed> => {
    const { result, report } = call;
    checkAnswer(result, report);
    const answered = "embeddings" in result ? { ...report, vectors: result.embeddings.length } : report;
    return await queue.workerMutation(ctx, queue.component.work.complete, { ...call, report: answered });
  },
});

/** Ends an attempt with an error. It is stored in our own words: requesters never read a device's. */
export const fail = mutation({
  args: { ...workerMutations.fail.args, key: v.string() },
  handler: async (ctx, call): Promise<Failed> => {
    const error = { ...call.error, ...reportedError(call.error) };
    return await queue.workerMutation(ctx, queue.component.work.fail, { ...call, error });
  },
});

/** Reports that the device's program ends. The device is offline at once, and its jobs return to the queue. */
export const goodbye = mutation({
  args: { key: v.string() },
  returns: v.null(),
  handler: async (ctx, { key }) => {
    const device = await authenticateDevice(ctx, key);
    await queue.workerMutation(ctx, queue.component.work.goodbye, { key });
    await endActivity(ctx, device, Date.now());
    return null;
  },
});
