import type { AttemptView } from "@gleaner/queue/validators";
import {
  type PastAttempt,
  reliability,
  unreliabilityOf,
  unreliabilityWords,
} from "../../../app/devices/reliability.ts";
import { attemptLimitMs } from "../../../app/jobs/extent.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { pauseForFailures, resumeByItself } from "./service.ts";

/** Attempts that are read. More than count, because many are given back. */
const perRead = 50;

/** Errors that the backend itself has seen. */
const seen: ReadonlySet<string> = new Set(["answer_refused", "worker_timeout"]);

/**
 * Pauses a device that fails too often, and resumes one whose failures turned out to be those of the jobs. Called after
 * failures, releases and starts only. It reads the queue's attempts and keeps no counts of its own, so that jobs cost nothing more.
 */
export async function judgeDevice(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  const { organizationId, workerId, judgedFrom = 0, pause } = device;
  if (device.status !== "active") return;
  const paginationOpts = { numItems: perRead, cursor: null };
  const { page } = await queue.workers.history(ctx, organizationId, { workerId, paginationOpts });
  const since = Math.max(judgedFrom, now - reliability.withinMs);
  const ended = page.filter(({ claimedAt, endedAt }) => endedAt !== null && claimedAt >= since);
  // Few failures pause nobody.
  if (pause === undefined && ended.filter(isBad).length < reliability.incidents) return;
  const others = await areOthersAccepting(ctx, device);
  if (pause === undefined && !others && !ended.some(({ error }) => seen.has(error?.code ?? ""))) return;
  const { past, shared } = await pastOf(ctx, device, ended, { others, now });
  const found = unreliabilityOf(past);
  if (found !== null && pause === undefined) {
    await pauseForFailures(ctx, device, found, unreliabilityWords(found), now);
  }
  if (found === null && pause !== undefined && shared >= reliability.incidents) {
    await resumeByItself(ctx, device, now);
  }
}

/** Judges the devices that failed a job, now that it has ended. */
export async function judgeDevicesOf(ctx: MutationCtx, order: Doc<"orders">, now: number): Promise<void> {
  const attempts = await queue.attempts(ctx, order.organizationId, order.jobId);
  const names = attempts.filter(({ status }) => status !== "succeeded").map(({ worker }) => worker ?? "");
  for (const name of new Set(names)) {
    const deviceId = ctx.db.normalizeId("devices", name);
    const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
    if (device !== null) await judgeDevice(ctx, device, now);
  }
}

/**
 * The attempts that count, newest first, and the number of failures that other devices share.
 * @param others whether other devices take jobs, too.
 */
async function pastOf(
  ctx: QueryCtx,
  device: Doc<"devices">,
  ended: readonly AttemptView[],
  { others, now }: { readonly others: boolean; readonly now: number },
): Promise<{ readonly past: readonly PastAttempt[]; readonly shared: number }> {
  const past: PastAttempt[] = [];
  let shared = 0;
  for (const attempt of ended) {
    if (past.length >= reliability.attempts) break;
    const { status } = attempt;
    const endedAt = attempt.endedAt ?? 0;
    if (status === "succeeded") past.push({ endedAt, end: "succeeded", code: "" });
    else if (status === "lost") past.push({ endedAt, end: "lost", code: "lost" });
    else if (wasReturned(attempt) && endedAt >= now - reliability.returnsCountForMs)
      past.push({ endedAt, end: "returned", code: "returned" });
    else if (status === "canceled" && (await wasHung(ctx, attempt)))
      past.push({ endedAt, end: "failed", code: "worker_timeout" });
    else if (status === "failed") {
      const whose = await whoseFailure(ctx, device, attempt, others);
      if (whose === "own") past.push({ endedAt, end: "failed", code: attempt.error?.code ?? "" });
      if (whose === "shared") shared += 1;
    }
  }
  return { past, shared };
}

function isBad(attempt: AttemptView): boolean {
  const { status } = attempt;
  return status === "failed" || status === "lost" || status === "canceled" || wasReturned(attempt);
}

/** Whether the device gave the job back before it could have done anything. */
function wasReturned({ status, claimedAt, endedAt }: AttemptView): boolean {
  return status === "released" && (endedAt ?? Infinity) - claimedAt < reliability.returnedWithinMs;
}

/**
 * Whether a failed attempt tells about the device (`own`) or about the job, at which other devices failed, too (`shared`). It
 * is its own if another device then did the job. So is what the backend itself has seen, unless it saw the same of another
 * device at this job. While the job is open, an error is its own if there are other devices and none of them failed yet.
 */
async function whoseFailure(
  ctx: QueryCtx,
  { organizationId, workerId }: Doc<"devices">,
  { jobId, error }: AttemptView,
  others: boolean,
): Promise<"own" | "shared" | "unknown"> {
  const [job, attempts] = await Promise.all([
    queue.status(ctx, organizationId, jobId),
    queue.attempts(ctx, organizationId, jobId),
  ]);
  if (job === null) return "unknown";
  if (job.status === "succeeded") return "own";
  const code = error?.code ?? "";
  const isShared = attempts.some(
    (attempt) =>
      attempt.workerId !== workerId &&
      attempt.status === "failed" &&
      (!seen.has(code) || attempt.error?.code === code),
  );
  if (isShared) return "shared";
  return seen.has(code) || (job.finishedAt === null && others) ? "own" : "unknown";
}

/** Whether the requester gave up a job that the device had held for half of the time that it may take. */
async function wasHung(ctx: QueryCtx, { jobId, claimedAt, endedAt }: AttemptView): Promise<boolean> {
  const heldMs = (endedAt ?? 0) - claimedAt;
  if (heldMs < shortestHeldMs) return false;
  const order = await orderOf(ctx, jobId);
  if (order === null) return false;
  const { most, promptTokens = most.promptTokens } = order;
  return heldMs >= attemptLimitMs({ promptBytes: promptTokens, most }) / 2;
}

/** No job may be held for less without a reason to look at it. */
export const shortestHeldMs = 150_000;

const maxListed = 20;

async function areOthersAccepting(
  ctx: QueryCtx,
  { organizationId, workerId }: Doc<"devices">,
): Promise<boolean> {
  const paginationOpts = { numItems: maxListed, cursor: null };
  const { page } = await queue.workers.list(ctx, organizationId, { online: true, paginationOpts });
  return page.some((worker) => worker.accepting && worker.workerId !== workerId);
}
