import { type QueueComponent, workerMutations } from "@gleaner/queue";
import type { FunctionReturnType } from "convex/server";
import { v } from "convex/values";
import { reportedError } from "../app/contract/job-errors.ts";
import { mutation } from "./_generated/server.js";
import { authenticateDevice } from "./model/authenticate.ts";
import { endActivity } from "./model/devices/report.ts";
import { signingKeyOf } from "./model/devices/signingKey.ts";
import { queue } from "./model/queue.ts";
import { checkAnswer } from "./model/requests/answer.ts";
import { checkSignature, resultSignature } from "./model/requests/signature.ts";
import { textAnswer, vectorAnswer, workReport } from "./model/validators.ts";

// The functions that a device calls as a worker of the queue, with its key. Three of them do more here.
export * from "@gleaner/queue/work";

type Greeted = FunctionReturnType<QueueComponent["work"]["hello"]>;

/** As in the queue. Refuses (invalid) a device without a signing key, because its results would be refused. */
export const hello = mutation({
  args: { ...workerMutations.hello.args, key: v.string() },
  handler: async (ctx, call): Promise<Greeted> => {
    signingKeyOf(await authenticateDevice(ctx, call.key));
    return await queue.workerMutation(ctx, queue.component.work.hello, call);
  },
});

type Completed = FunctionReturnType<QueueComponent["work"]["complete"]>;
type Failed = FunctionReturnType<QueueComponent["work"]["fail"]>;

/**
 * Completes an attempt: stores the result, pays the device (`reply`: how much) and claims the next jobs that it wants.
 * Refuses (invalid, too_large) an answer that is out of bounds, does not fit the request, or is not
 * signed by the device.
 */
export const complete = mutation({
  args: {
    ...workerMutations.complete.args,
    key: v.string(),
    result: v.union(textAnswer, vectorAnswer),
    report: v.object({ ...workReport.fields, signature: v.optional(resultSignature) }),
  },
  handler: async (ctx, call): Promise<Completed> => {
    const { key, attemptId, result } = call;
    const { signature: given, ...report } = call.report;
    checkAnswer(result, report);
    const device = await authenticateDevice(ctx, key);
    const signature = await checkSignature(device, attemptId, { result, report }, given);
    const vectors = "embeddings" in result ? result.embeddings.length : undefined;
    const answered = { ...report, vectors, signature };
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
