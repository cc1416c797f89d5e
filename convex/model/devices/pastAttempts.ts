import { type AttemptView, notStarted, tooSlow } from "@gleaner/queue/validators";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import {
  answerRefused,
  type Evidence,
  type PastAttempt,
  reliability,
  tooLate,
} from "../../../app/devices/reliability.ts";
import { attemptLimitMs } from "../../../app/jobs/extent.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";

/** Some of a device's attempts, newest first, open ones too. `next`: the cursor of older ones, if they may count. */
export type Page = { readonly attempts: readonly AttemptView[]; readonly next: string | null };

const perPage = 100;
/** Failures can be hidden behind no more jobs than these pages have. They would have to be canceled, or returned, which counts. */
const maxPages = 6;
/** The most failures whose jobs are looked at. Older attempts than these do not count. */
const maxExamined = 60;

/** A page of a device's attempts. @param since older ones do not count. */
export async function readPage(
  ctx: QueryCtx,
  { organizationId, workerId }: Doc<"devices">,
  since: number,
  cursor: string | null = null,
): Promise<Page> {
  const paginationOpts = { numItems: perPage, cursor };
  const read = await queue.workers.history(ctx, organizationId, { workerId, paginationOpts });
  const attempts = read.page.filter(({ claimedAt }) => claimedAt >= since);
  return { attempts, next: read.isDone || attempts.length < read.page.length ? null : read.continueCursor };
}

/**
 * The attempts that tell something about a device, newest first. Reads on until enough of them are answers or failures, so
 * that a device cannot push its failures out of sight with jobs that it gives back.
 * @param others whether other devices take jobs, too.
 */
export async function pastOf(
  ctx: QueryCtx,
  device: Doc<"devices">,
  { newest, since, others }: { readonly newest: Page; readonly since: number; readonly others: boolean },
): Promise<readonly PastAttempt[]> {
  const past: PastAttempt[] = [];
  const claims: number[] = [];
  let page = newest;
  let examined = 0;
  for (let pages = 1; ; pages += 1) {
    for (const attempt of page.attempts) {
      if (attempt.status === "failed") examined += 1;
      if (examined > maxExamined) return past;
      const ended = await endOf(ctx, device, attempt, { claims, others });
      if (ended !== null) past.push({ ...ended, endedAt: attempt.endedAt ?? 0 });
      claims.push(attempt.claimedAt);
    }
    if (page.next === null || pages === maxPages || isEnough(past)) return past;
    page = await readPage(ctx, device, since, page.next);
  }
}

function isEnough(past: readonly PastAttempt[]): boolean {
  const telling = past.filter(({ end, evidence = "device" }) => end !== "returned" && evidence === "device");
  return telling.length >= reliability.attempts;
}

/** @param claims when the device took its later jobs, newest first. */
async function endOf(
  ctx: QueryCtx,
  device: Doc<"devices">,
  attempt: AttemptView,
  { claims, others }: { readonly claims: readonly number[]; readonly others: boolean },
): Promise<Omit<PastAttempt, "endedAt"> | null> {
  switch (attempt.status) {
    case "succeeded":
      return { end: "succeeded", code: "" };
    case "lost":
      return { end: "lost", code: "lost" };
    case "stolen":
      // The others were held in reserve.
      return attempt.releaseReason === notStarted
        ? { end: "returned", code: "returned", rested: false }
        : null;
    case "outrun":
      // A second device that came too late is not to blame.
      return attempt.releaseReason === tooSlow ? { end: "returned", code: tooLate, rested: false } : null;
    case "released":
      return { end: "returned", code: "returned", rested: hasRested(attempt, claims) };
    case "failed":
      return await failureOf(ctx, device, attempt, others);
    case "canceled":
      return await hangOf(ctx, device, attempt);
    default:
      return null;
  }
}

/**
 * Whether the device took no other job for some time after it returned this one, or that time is not over. A job that it did
 * not start was not returned for a person.
 */
function hasRested({ endedAt, releaseReason }: AttemptView, claims: readonly number[]): boolean {
  if (releaseReason === notStarted) return false;
  const from = endedAt ?? 0;
  const next = claims.findLast((claimedAt) => claimedAt >= from);
  return next === undefined || next - from >= reliability.restMs;
}

/** The side that a failure speaks against. Null after the job was forgotten. @param others whether other devices take jobs, too. */
async function failureOf(
  ctx: QueryCtx,
  { organizationId, workerId }: Doc<"devices">,
  { jobId, error }: AttemptView,
  others: boolean,
): Promise<Omit<PastAttempt, "endedAt"> | null> {
  const [job, attempts] = await Promise.all([
    queue.status(ctx, organizationId, jobId),
    queue.attempts(ctx, organizationId, jobId),
  ]);
  if (job === null) return null;
  const code = error?.code ?? "";
  const tries = attempts.filter((attempt) => attempt.workerId !== workerId);
  const isOpen = job.finishedAt === null && others;
  return { end: "failed", code, key: job.requester ?? "", evidence: evidenceOf(code, tries, isOpen) };
}

/** Whether an answer holds its schema is chance, so the request may have caused it, also if another device had luck. */
const { code: schemaNotMet } = jobErrors.schemaNotMet;

/** Errors that the backend itself has seen. */
export const seen: ReadonlySet<string> = new Set([answerRefused, "worker_timeout"]);

/**
 * The side that a failure speaks against.
 * @param code of its error.
 * @param tries other devices' attempts at the job.
 * @param isOpen whether others may yet try it. Until one of them fails, the failure counts as the device's own.
 */
export function evidenceOf(code: string, tries: readonly AttemptView[], isOpen: boolean): Evidence {
  const own = code === schemaNotMet ? "answer" : "device";
  if (tries.some(({ status }) => status === "succeeded")) return own;
  const isShared = tries.some(
    ({ status, error }) => status === "failed" && (!seen.has(code) || error?.code === code),
  );
  if (isShared) return "job";
  if (isOpen) return own;
  if (code === answerRefused) return "answer";
  return seen.has(code) ? "device" : "none";
}

/**
 * The failure of a device whose requester gave up a job that the device had worked on for half of the time that it may take.
 * Null if it had not started the job, or did for less long, or if the job ended because its key was restricted.
 */
async function hangOf(
  ctx: QueryCtx,
  { organizationId }: Doc<"devices">,
  { jobId, claimedAt, endedAt }: AttemptView,
): Promise<Omit<PastAttempt, "endedAt"> | null> {
  if ((endedAt ?? 0) - claimedAt < shortestHeldMs) return null;
  const [job, order] = await Promise.all([queue.status(ctx, organizationId, jobId), orderOf(ctx, jobId)]);
  if (job === null || order === null || order.error !== undefined) return null;
  // An earlier start is another attempt's. Nothing tells then whether this one left the reserve.
  if (job.startedAt === null || job.startedAt < claimedAt) return null;
  const { most, promptTokens = most.promptTokens, tries = 1 } = order;
  const workedMs = (endedAt ?? 0) - job.startedAt;
  if (workedMs < attemptLimitMs({ promptBytes: promptTokens, most, tries }) / 2) return null;
  return { end: "failed", code: "worker_timeout", key: order.apiKeyId, evidence: "device" };
}

/** No job may be held for less without a reason to look at it. */
export const shortestHeldMs = 150_000;
