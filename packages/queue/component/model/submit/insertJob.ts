import type { JobSpec, Requirements } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { addDependencies, type DependencyState } from "../dependencies/dependOn.ts";
import { isChecked, nextExpiry } from "../end/expire.ts";
import { move } from "../jobs/move.ts";
import { ringPositionForAnother } from "../jobs/positionForAnother.ts";
import type { Terms } from "../jobs/turns.ts";
import { firstWait } from "../jobs/waiting.ts";
import type { OpenLane } from "../lanes/lanesFor.ts";
import { defined, idOf } from "../load.ts";
import { ringPositionFor } from "../placement.ts";
import { priorityNumber } from "../priority.ts";
import { present } from "../refuse.ts";
import { keptTimes, type Settings } from "../settings.ts";

export type NewJob = {
  readonly scope: string;
  readonly spec: JobSpec;
  readonly requirements: Requirements;
  readonly lane: OpenLane;
  readonly terms: Terms;
  readonly dependency: DependencyState | null;
  readonly batchId: Id<"batches"> | undefined;
  readonly rank: number;
  readonly settings: Settings;
  /**
   * The number of slots that its affinity is spread over, and of jobs with this affinity before it in the submission.
   */
  readonly width: number;
  readonly ordinal: number;
  /** If the job is watched from the start: at least until then. */
  readonly watchedUntil: number;
};

export type InsertedJob = {
  /** As it is stored, without another read. Only its time of creation may differ. */
  readonly row: Doc<"jobs">;
  readonly ready: boolean;
};

/** Inserts a job, ready or waiting, without its payload. */
export async function insertJob(ctx: MutationCtx, job: NewJob, now: number): Promise<InsertedJob> {
  const { scope, spec, requirements, lane, terms, dependency, width, ordinal } = job;
  const {
    kind,
    requester,
    affinity,
    apart,
    key,
    externalId,
    idempotencyKey,
    fingerprint,
    policy,
    onFinal,
    onClaim,
    context,
  } = spec;
  const { expiresAt, deadlineAt, attemptMs, size, delayMs = 0 } = spec;
  const exceptWorkers = spec.exceptWorkers?.flatMap((id) => idOf(ctx, "workers", id) ?? []);
  const end = nextExpiry(spec, -Infinity);
  const failedDependency = dependency?.kind === "failed";
  const waitsFor = firstWait({
    delayed: delayMs > 0 && !failedDependency,
    dependent: dependency !== null && dependency.kind !== "go",
    limited: terms.turnOf !== null,
  });
  const ringPosition = ringPositionFor(
    { affinity, requester, weight: terms.weight, width, ordinal },
    lane.slots,
    [Math.random(), Math.random()],
  );
  const fields = {
    scope,
    laneId: lane.laneId,
    kind,
    status: waitsFor === null ? ("ready" as const) : ("waiting" as const),
    level: priorityNumber(spec.priority),
    place: ringPosition,
    rank: job.rank,
    dice: Math.random(),
    submittedAt: now,
    attempts: 0,
    failures: 0,
    round: 0,
    hasDependents: false,
    ...(spec.watched === true ? { watched: true, watchedUntil: job.watchedUntil } : { watched: false }),
    ...defined({
      requester,
      key,
      externalId,
      idempotencyKey,
      fingerprint,
      policy: { ...keptTimes(job.settings.policy), ...policy },
      onFinal,
      onClaim,
      context,
    }),
    ...defined({
      affinity,
      apart,
      exceptWorkers,
      expiresAt,
      deadlineAt,
      attemptMs,
      size,
      batchId: job.batchId,
    }),
    ...(end !== null && isChecked(end, now) ? { runsOutAt: end } : {}),
    ...(Object.keys(requirements).length === 0 ? {} : { requirements }),
    ...(waitsFor === null ? { readyAt: now } : { waitsFor }),
    ...(waitsFor === "time" ? { dueAt: now + delayMs } : {}),
    ...(waitsFor === "turn" && terms.turnOf !== null ? { turnOf: terms.turnOf } : {}),
  };
  const jobId = await ctx.db.insert("jobs", fields);
  if (dependency?.kind === "wait" && spec.after !== undefined) {
    const on = dependency.on.map(({ _id }) => _id);
    await addDependencies(ctx, jobId, on, spec.after.when);
  }
  if (failedDependency) await cancelForDependency(ctx, jobId, now);
  const row = { ...fields, _id: jobId, _creationTime: now };
  const ready = waitsFor === null && !failedDependency;
  if (!ready || exceptWorkers === undefined) return { row, ready };
  const place = await ringPositionForAnother(ctx, row, null);
  await ctx.db.patch("jobs", jobId, { place });
  return { row: { ...row, place }, ready };
}

/** Cancels a new job because a dependency had already failed. */
async function cancelForDependency(ctx: MutationCtx, jobId: Id<"jobs">, now: number): Promise<void> {
  const job = present(await ctx.db.get("jobs", jobId), "inserted job");
  const error = { code: "dependency_failed", message: "A job that it depends on did not succeed." };
  await move(ctx, job, { kind: "cancel" }, now, { job: { error } });
}
