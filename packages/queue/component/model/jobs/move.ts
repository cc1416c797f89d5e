import { tooSlow } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { defined } from "../load.ts";
import { parked, unparked } from "../placement.ts";
import { present } from "../refuse.ts";
import { endedFrom, finish, wasSlow } from "./finish.ts";
import { takeBack } from "./payloads.ts";
import { ringPositionForAnother } from "./positionForAnother.ts";
import { hasReturnedOften, withReturn } from "./returns.ts";
import {
  hasTurn,
  isFinal,
  isHeld,
  type JobEvent,
  type PairTransition,
  pairTransition,
  type Transition,
  transition,
} from "./states.ts";
import { releaseTurns } from "./turns.ts";

export type JobChange = Partial<
  Pick<
    Doc<"jobs">,
    | "currentAttemptId"
    | "secondAttemptId"
    | "secondAttempts"
    | "attempts"
    | "failures"
    | "failuresByJob"
    | "unfit"
    | "verdicts"
    | "error"
    | "report"
    | "waitsFor"
    | "turnOf"
    | "dueAt"
    | "place"
    | "dice"
    | "round"
    | "expiresAt"
    | "deadlineAt"
  >
>;
export type AttemptChange = Partial<
  Pick<
    Doc<"attempts">,
    "report" | "result" | "error" | "releaseReason" | "pausedUntil" | "startedAt" | "suspectAt" | "overdueAt"
  >
>;

/** The workers that a job remembers because they failed it, or returned it often. */
const maxFailedBy = 16;

/** The time limit of an attempt that starts now, if its job has one. */
export function overdueFrom(
  { attemptMs }: Pick<Doc<"jobs">, "attemptMs">,
  now: number,
): { readonly overdueAt?: number } {
  return attemptMs === undefined ? {} : { overdueAt: now + attemptMs };
}

/** What an attempt loses when it is over. */
const closed = {
  open: false,
  overdueAt: undefined,
  suspectAt: undefined,
  handedAt: undefined,
} as const;

/** Changes of an attempt that its own worker reports. It knows then that it was handed the job. */
const isOwnEnd: ReadonlySet<Doc<"attempts">["status"]> = new Set(["running", "succeeded", "failed"]);

/**
 * Changes a job's status, and the status of its attempts. No other code does. A job that becomes final is finished in the
 * same transaction. An illegal event is a bug of the caller, who checks the fence first: the function throws, and the
 * transaction is undone.
 * @param change.by the attempt that the event is about, as it is stored; the current one by default. A job may have a
 * second one.
 * @param change.job `currentAttemptId` of a claim or a theft, and any other fields that change.
 * @returns the job after the change.
 */
export async function move(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  event: JobEvent,
  now: number,
  change: {
    readonly by?: Doc<"attempts">;
    readonly job?: JobChange;
    readonly attempt?: AttemptChange;
  } = {},
): Promise<Doc<"jobs">> {
  const by = change.by?._id ?? job.currentAttemptId;
  const other = await otherAttempt(ctx, job, by);
  const next =
    other === null ? transition(job.status, event) : pairTransition(event, statusOfOther(other.status));
  if (next === null) throw new Error(`job ${job._id}: ${event.kind} is illegal while ${job.status}`);

  const patch: Partial<Doc<"jobs">> = {};
  if (next.attempt !== null && by !== undefined) {
    const attempt = change.by ?? present(await ctx.db.get("attempts", by), "attempt of a job");
    const facts =
      next.attempt === "running"
        ? { ...overdueFrom(job, now), handedAt: undefined, ...change.attempt }
        : { ...change.attempt, ...closed, endedAt: now };
    await ctx.db.patch("attempts", attempt._id, { ...facts, status: next.attempt });
    if (attempt.handedAt !== undefined && !isOwnEnd.has(next.attempt)) await takeBack(ctx, attempt);
    // A worker need not report the start of a short attempt: its end implies it. A woken one began at the claim.
    if (isOwnEnd.has(next.attempt)) patch.startedAt = job.startedAt ?? attempt.claimedAt;
    const { workerId } = attempt;
    const hasFailed = next.attempt === "failed" || next.attempt === "lost";
    // A job that was lost before it started says nothing about the job itself.
    const counts = hasFailed && (event.kind === "fail" || attempt.status === "running");
    if (counts) patch.failures = job.failures + 1;
    // A worker that was woken for the job and had it stolen did not start it.
    const notStarted = (hasFailed && !counts) || (next.attempt === "stolen" && attempt.woken === true);
    if (next.attempt === "released" || notStarted) patch.returnedBy = withReturn(job, workerId);
    if (hasFailed || hasReturnedOften(patch.returnedBy ?? [], workerId)) {
      patch.lastFailedWorkerId = workerId;
      const others = (job.failedBy ?? []).filter((other) => other !== workerId);
      patch.failedBy = [...others, workerId].slice(-maxFailedBy);
    }
  }
  if (other !== null) Object.assign(patch, await settlePair(ctx, job, next, { by, other }, now));
  if (next.job === "running") patch.startedAt = job.startedAt ?? now;
  if (next.job === "ready") patch.readyAt = now;
  // Fields that are undefined in a patch are removed. A job that does not wait is in no index of waiting jobs.
  if (next.job !== "waiting")
    Object.assign(patch, { waitsFor: undefined, turnOf: undefined, dueAt: undefined });
  if (!isHeld(next.job) && !isFinal(next.job)) {
    Object.assign(patch, { currentAttemptId: undefined, ...unparked(job) });
  }
  // Other workers may wait now than when the job was placed.
  if (next.job === "ready" && job.exceptWorkers !== undefined && change.job?.place === undefined)
    patch.place = await ringPositionForAnother(ctx, { ...job, ...patch }, null);
  if (isFinal(next.job)) Object.assign(patch, { runsOutAt: undefined, ...(await endedFrom(ctx, job, now)) });
  if (event.kind === "retry")
    Object.assign(patch, { finishedAt: undefined, purgeAt: undefined, forgetAt: undefined });
  const changed = { ...patch, ...change.job, status: next.job };
  await ctx.db.patch("jobs", job._id, changed);
  // Equal to the stored row, without another stage of reads.
  const moved = defined({ ...job, ...changed }) as Doc<"jobs">;
  if (isHeld(job.status) && moved.status === "waiting") await releaseTurns(ctx, moved);
  const { status } = moved;
  if (!isFinal(status)) return moved;
  const outrun = hasOther(next) && next.other === "outrun" ? other : null;
  const ended = change.by ?? null;
  return await finish(ctx, { ...moved, status }, now, { hadTurn: hasTurn(job.status), ended, outrun });
}

type Pair = { readonly by: Id<"attempts"> | undefined; readonly other: Doc<"attempts"> };

/** The attempt that another worker has at the same time; null if there is none. */
async function otherAttempt(
  ctx: MutationCtx,
  { currentAttemptId, secondAttemptId }: Doc<"jobs">,
  by: Id<"attempts"> | undefined,
): Promise<Doc<"attempts"> | null> {
  const otherId = secondAttemptId === by ? currentAttemptId : secondAttemptId;
  if (secondAttemptId === undefined || otherId === undefined) return null;
  return present(await ctx.db.get("attempts", otherId), "other attempt of a job");
}

function statusOfOther(status: Doc<"attempts">["status"]): "prefetched" | "running" {
  if (status === "prefetched" || status === "running") return status;
  throw new Error(`a job has an attempt that is ${status}`);
}

function hasOther(next: Transition | PairTransition): next is PairTransition {
  return "other" in next;
}

/** The changes of a job that two workers had at once: one attempt ends the job, or leaves it to the other. */
async function settlePair(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  next: Transition | PairTransition,
  { by, other }: Pair,
  now: number,
): Promise<object> {
  if (!hasOther(next) || next.attempt === "running") return {};
  if (next.other === null) {
    // An attempt that was handed over and not started is hidden from thieves, as at the hand-over.
    const spot = next.job === "prefetched" ? parked(job) : {};
    return { currentAttemptId: other._id, secondAttemptId: undefined, ...spot };
  }
  const isSlow = next.other === "outrun" && wasSlow(job, other);
  if (other.handedAt !== undefined) await takeBack(ctx, other);
  await ctx.db.patch("attempts", other._id, {
    ...closed,
    endedAt: now,
    status: next.other,
    ...(isSlow ? { releaseReason: tooSlow } : {}),
  });
  return { currentAttemptId: by, secondAttemptId: undefined };
}
