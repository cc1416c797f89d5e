import { type QueueComponent, workerMutations } from "@gleaner/queue";
import { anything, type ClaimedJob } from "@gleaner/queue/validators";
import { workerQueries } from "@gleaner/queue/work";
import type { FunctionReturnType } from "convex/server";
import { type ObjectType, v } from "convex/values";
import { reportedError } from "../app/contract/job-errors.ts";
import { internal } from "./_generated/api.js";
import type { Doc } from "./_generated/dataModel.js";
import { mutation, type MutationCtx, query } from "./_generated/server.js";
import { authenticateDevice, authenticateUnretired } from "./model/authenticate.ts";
import { visibleCapabilities, withoutModels } from "./model/devices/capabilities.ts";
import { endActivity } from "./model/devices/report.ts";
import { applyVersion, checkVersion, oldestVersionOf } from "./model/devices/versions.ts";
import { relist } from "./model/fleet/listing.ts";
import { findModel } from "./model/models/catalog.ts";
import { orderOf } from "./model/orders/orders.ts";
import { queue } from "./model/queue.ts";
import { type Answer, answerMistake, readAnswer } from "./model/requests/answer.ts";
import { isRefuted } from "./model/requests/claims.ts";
import { noteRunnerStop } from "./model/requests/restriction.ts";
import { checkSignature } from "./model/requests/signature.ts";
import { lengthMistake } from "./model/requests/vectorLength.ts";
import { noteFailure, rolloutOfJob } from "./model/rollouts/failedJob.ts";
import { heldBackFrom } from "./model/rollouts/find.ts";
import {
  decryptJob,
  decryptJobs,
  encryptValue,
  orRetried,
  payloadForDevice,
  writingKey,
  writingKeyOfDevice,
} from "./model/texts/storedTexts.ts";
import { replayMistake } from "./model/trust/report.ts";
import { streamItem } from "./model/validators/answers.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

// The functions that a device calls as a worker of the queue, with its key. Ten of them do more here.
export * from "@gleaner/queue/work";

/** As in the queue, with the payload as it was submitted. */
export const handed = query({
  args: { key: v.string() },
  returns: workerQueries.handed.returns,
  handler: async (ctx, { key }) => {
    const keyHash = await queue.hashKey(key);
    return await decryptJobs(ctx, await ctx.runQuery(queue.component.work.handed, { keyHash }));
  },
});

/** As in the queue, with the payloads as they were submitted. */
export const take = mutation({
  args: { ...workerMutations.take.args, key: v.string() },
  returns: workerMutations.take.returns,
  handler: async (ctx, call) => {
    const taken = await queue.workerMutation(ctx, queue.component.work.take, call);
    return taken.kind === "ok" ? await withTexts(ctx, taken) : taken;
  },
});

/** As in the queue, with the payload as it was submitted. */
export const claim = mutation({
  args: { ...workerMutations.claim.args, key: v.string() },
  returns: workerMutations.claim.returns,
  handler: async (ctx, call) => {
    const claimed = await queue.workerMutation(ctx, queue.component.work.claim, call);
    return claimed.kind === "claimed" ? { ...claimed, job: await decryptJob(ctx, claimed.job) } : claimed;
  },
});

/** An answer of the queue with the payloads of its jobs as they were submitted. */
async function withTexts<Answer extends { readonly jobs: ClaimedJob[] }>(
  ctx: MutationCtx,
  answer: Answer,
): Promise<Answer> {
  return answer.jobs.length === 0 ? answer : { ...answer, jobs: await decryptJobs(ctx, answer.jobs) };
}

/**
 * The attempt of a device with its payload as it was submitted; null if the device does not hold it. An attempt whose payload was
 * deleted ends here with its job, so that the queue fences the call: that is no failure of the device. Throws while the payload cannot
 * be read.
 */
async function heldAttempt(
  ctx: MutationCtx,
  key: string,
  attempt: { readonly attemptId: string; readonly text?: string },
) {
  const keyHash = await queue.hashKey(key);
  const found = await ctx.runQuery(queue.component.workers.attempt, { keyHash, ...attempt });
  if (found === null) return null;
  const payload = await payloadForDevice(ctx, found.payload);
  if (payload !== null) return { ...found, payload };
  const { organizationId } = await authenticateDevice(ctx, key);
  await queue.cancel(ctx, organizationId, found.jobId);
  return null;
}

/** Judges the device soon. Every call that ends attempts without an answer does this. */
async function judgeSoon(ctx: MutationCtx, key: string): Promise<void> {
  const keyHash = await queue.hashKey(key);
  await ctx.scheduler.runAfter(0, internal.maintenance.judgeDevice, { keyHash });
}

type Greeted = FunctionReturnType<QueueComponent["work"]["hello"]>;

/**
 * As in the queue. A device gets no jobs if its version is too old, or if it has no key to sign results, and none of a model
 * that it may not have yet. Hidden characters in
 * the names that it reports are replaced. Refuses: unauthorized, retired, invalid.
 */
export const hello = mutation({
  args: { ...workerMutations.hello.args, key: v.string() },
  handler: async (ctx, call): Promise<Greeted> => {
    const device = await authenticateUnretired(ctx, call.key);
    if (call.version !== undefined) checkVersion(call.version);
    const capabilities = withoutModels(
      visibleCapabilities(call.capabilities),
      await heldBackFrom(ctx, device),
    );
    const said = { ...call, capabilities };
    const greeted = await queue.workerMutation(ctx, queue.component.work.hello, said);
    // A start gives back what the device still held.
    if (call.startup) await judgeSoon(ctx, call.key);
    const oldest = await oldestVersionOf(ctx, device.organizationId);
    await applyVersion(ctx, device, call.version ?? null, oldest, Date.now());
    await relist(ctx, device._id);
    return greeted;
  },
});

/** As in the queue. The data beside a text must be that of an answer. */
export const append = mutation({
  args: { ...workerMutations.append.args, data: v.optional(v.array(streamItem)), key: v.string() },
  returns: workerMutations.append.returns,
  handler: async (ctx, call) => {
    const { text, data } = call;
    const key = await writingKeyOfDevice(ctx, call.key);
    const content = data === undefined ? { text } : { text, data };
    const stored = key === null ? {} : { stored: encryptValue(key, content, "chunk") };
    return await queue.workerMutation(ctx, queue.component.work.append, { ...call, ...stored });
  },
});

type Completed = FunctionReturnType<QueueComponent["work"]["complete"]>;
type Failed = FunctionReturnType<QueueComponent["work"]["fail"]>;
type Refused = Omit<Failed, "kind"> & { readonly kind: "refused"; readonly why: string };

const completion = {
  ...workerMutations.complete.args,
  key: v.string(),
  result: anything,
  report: v.optional(anything),
};

/**
 * Completes an attempt: stores the result, pays the device (`reply`: how much) and claims the next jobs that it wants. An
 * answer that the request does not allow, or that the device did not sign, is `refused`: the attempt has failed, and another
 * device gets the job. Throws while the organization's texts cannot be read or written: the device then sends the answer again.
 */
export const complete = mutation({
  args: completion,
  handler: async (ctx, call): Promise<Completed | Refused> => {
    const { key, attemptId } = call;
    const { component } = queue;
    const answer = readAnswer(call.result, call.report);
    const text = answer !== null && "text" in answer.result ? answer.result.text : "";
    const attempt = await heldAttempt(ctx, key, { attemptId, text });
    // The queue answers a repeated call, and one for an attempt that is over.
    if (attempt === null)
      return await withTexts(ctx, await queue.workerMutation(ctx, component.work.complete, call));
    if (answer === null) return await refuseAnswer(ctx, call, "The answer has the form of no job's.");
    const { jobId, payload, claimedAt, continues } = attempt;
    const device = await authenticateDevice(ctx, key);
    const signed = await checkSignature(device, { attemptId, jobId, payload }, answer);
    if (signed.kind === "wrong") return await refuseAnswer(ctx, call, signed.why);
    if (!continues)
      return await refuseAnswer(ctx, call, "The answer differs from the text that was streamed.");
    const order = await orderOf(ctx, jobId);
    const heldMs = Date.now() - claimedAt;
    const why =
      order === null
        ? await replayMistake(ctx, jobId, answer, heldMs)
        : (answerMistake(answer, { order, payload, heldMs }) ??
          (await modelMistake(ctx, order, answer)) ??
          (await lengthMistake(ctx, order, device, answer)));
    if (why !== null) return await refuseAnswer(ctx, call, why);
    const { report } = answer;
    const { signature } = signed;
    const written = await orRetried(writingKey(ctx, device.organizationId));
    const result = encryptValue(written, answer.result, "result");
    const accepted = { ...call, result, report: { ...report, signature } };
    return await withTexts(ctx, await queue.workerMutation(ctx, component.work.complete, accepted));
  },
});

/** The mistake of a device that used another file than that of the order's model; null without one, or if it did not tell. */
async function modelMistake(
  ctx: MutationCtx,
  { organizationId, modelId }: Doc<"orders">,
  { report }: Answer,
): Promise<string | null> {
  if (report.model === undefined) return null;
  const model = await findModel(ctx, organizationId, modelId);
  return model?.sha256 === report.model ? null : "The answer is of another file than the model's.";
}

/** Fails the attempt of an answer that does not fit its job. @param why a sentence that quotes nothing of the answer. */
async function refuseAnswer(
  ctx: MutationCtx,
  { key, attemptId, starts, demand }: ObjectType<typeof completion>,
  why: string,
): Promise<Refused> {
  const rollout = await rolloutOfJob(ctx, key, attemptId);
  const error = { code: "answer_refused", message: why, retryable: true };
  const ended = { key, attemptId, error, demand, ...(starts === undefined ? {} : { starts }) };
  const failed = await withTexts(ctx, await queue.workerMutation(ctx, queue.component.work.fail, ended));
  if (failed.kind === "failed" && rollout !== null) await noteFailure(ctx, rollout);
  await judgeSoon(ctx, key);
  return { ...failed, kind: "refused", why };
}

/** Errors of a request on this device. They say nothing about the model. */
const ofRequest: ReadonlySet<string> = new Set(["context_too_small", "request_unsupported"]);

/**
 * Ends an attempt with an error, stored in our own words: requesters never read a device's. A device may say that a job
 * cannot be done. That counts if another device agrees or no other is there, unless the request refutes it. It may say that
 * the request stopped its runner. That counts against the request's API key.
 */
export const fail = mutation({
  args: { ...workerMutations.fail.args, key: v.string() },
  handler: async (ctx, call): Promise<Failed> => {
    const { key, attemptId } = call;
    const { component } = queue;
    const error = { ...call.error, ...reportedError(call.error) };
    const isVerdict = !error.retryable && error.unfit !== true;
    const isStop = error.byJob === true;
    const attempt = isVerdict || isStop ? await heldAttempt(ctx, key, { attemptId }) : null;
    const order = attempt === null ? null : await orderOf(ctx, attempt.jobId);
    const isFalse = attempt !== null && order !== null && isRefuted(error.code, order, attempt.payload);
    const isOfModel = !isVerdict && !ofRequest.has(error.code);
    const rollout = isOfModel ? await rolloutOfJob(ctx, key, attemptId) : null;
    const judged = isVerdict && isFalse ? { judged: "false" as const } : {};
    const ended = { ...call, error, ...judged };
    const failed = await withTexts(ctx, await queue.workerMutation(ctx, component.work.fail, ended));
    if (failed.kind === "failed") await judgeSoon(ctx, key);
    if (failed.kind === "failed" && rollout !== null) await noteFailure(ctx, rollout);
    if (failed.kind === "failed" && isStop && order !== null) {
      const { _id: deviceId } = await authenticateDevice(ctx, key);
      await noteRunnerStop(ctx, order, deviceId, Date.now());
    }
    return failed;
  },
});

/** As in the queue. A device that only gives jobs back is judged, too. */
export const release = mutation({
  args: { ...workerMutations.release.args, key: v.string() },
  handler: async (ctx, call): Promise<FunctionReturnType<QueueComponent["work"]["release"]>> => {
    const released = await queue.workerMutation(ctx, queue.component.work.release, call);
    if (released.fenced.length < call.attemptIds.length) await judgeSoon(ctx, call.key);
    return released;
  },
});

/** As in the queue. The device gives back what it has not started. */
export const leave = mutation({
  args: { ...workerMutations.leave.args, key: v.string() },
  returns: v.null(),
  handler: async (ctx, call): Promise<null> => {
    await judgeSoon(ctx, call.key);
    return await queue.workerMutation(ctx, queue.component.work.leave, call);
  },
});

/** Reports that the device's program ends. The device is offline at once, and its jobs return to the queue. */
export const goodbye = mutation({
  args: { key: v.string() },
  returns: v.null(),
  handler: async (ctx, { key }) => {
    const device = await authenticateDevice(ctx, key);
    await queue.workerMutation(ctx, queue.component.work.goodbye, { key });
    await judgeSoon(ctx, key);
    await endActivity(ctx, device, Date.now());
    return null;
  },
});
