import type { MutationCtx, QueryCtx } from "../../builders.ts";
import type { JobSpec, Requirements, SubmitOutcome } from "../../validators.ts";
import { grow, loadOpenBatch } from "../batches/create.ts";
import { boundedSize } from "../bounds.ts";
import { backlogsOf, retryAfterMs } from "../counts/backlogs.ts";
import { dependencyStates } from "../dependencies/dependOn.ts";
import { findNearby, handOver } from "../dispatch/handOver.ts";
import { reclaimOf, scheduleReclaim } from "../dispatch/reclaim.ts";
import { nextExpiry, scheduleExpiry } from "../end/expire.ts";
import { scheduleTurns, termsFor } from "../jobs/turns.ts";
import { scheduleWakeUps } from "../jobs/waiting.ts";
import { findLanes, openLanes } from "../lanes/lanesFor.ts";
import { canonical, laneName } from "../lanes/name.ts";
import { priorityNumber } from "../priority.ts";
import { present, refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";
import { spreadsOf } from "../spreads/spread.ts";
import { ordinalsOf, widthAt } from "../spreads/width.ts";
import { scheduleWatchEnd } from "../streams/follow.ts";
import { insertJob } from "./insertJob.ts";
import { earlierJobs, idsOf, resolveRepeats } from "./repeats.ts";
import { checkSpec, maxJobsPerCall } from "./spec.ts";

/** Of one call so many jobs are handed over; the others wake a worker each. */
const maxHandedOver = 4;

export type Submission = {
  readonly scope: string;
  readonly jobs: readonly JobSpec[];
  readonly batchId?: string;
  /** Whether it may give jobs to workers that wait: for a caller that can try again without. */
  readonly handOver?: boolean;
};

/** A job as it was asked for, with its requirements in canonical form and its lane's name. */
type ParsedJob = {
  readonly spec: JobSpec;
  readonly kind: string;
  readonly requirements: Requirements;
  readonly name: string;
  readonly level: number;
};

/**
 * Puts jobs into the queue, all or none. What it reads are points, which only the making of a lane, an
 * administrator, the minute's count, a claim that spreads an affinity, or the same idempotency key write: two
 * submissions do not collide, but on their batch, which counts its jobs, and where they hand over.
 * Refuses: invalid, too_large, not_found (a batch, or a job to wait for).
 */
export async function submit(ctx: MutationCtx, submission: Submission, now: number): Promise<SubmitOutcome> {
  const { scope } = submission;
  const forms = parse(submission.jobs);
  const { settings, earlier, lanes, terms, outlooks, spreads, crowds, batch, recall, nearby } = await readAll(
    ctx,
    submission,
    forms,
  );
  for (const { spec } of forms) boundedSize(spec.payload, "The payload", settings.maxPayloadBytes);

  const fates = resolveRepeats(submission.jobs, earlier);
  const conflict = fates.find((fate) => fate.kind === "conflict");
  if (conflict !== undefined) return conflict;
  const fresh = forms.flatMap((form, index) =>
    fates[index]?.kind === "new"
      ? [{ ...form, index, terms: present(terms[index], "terms"), outlook: outlooks[index] ?? null }]
      : [],
  );
  const ordinals = ordinalsOf(fresh.map(({ name, spec }) => ({ lane: name, affinity: spec.affinity })));
  if (fresh.some(({ name }) => lanes.get(name)?.state === "draining")) return { kind: "draining" };
  const full = crowds.filter((crowd) =>
    fresh.some(({ name, spec }) => crowd.name === (crowd.of === "lane" ? name : spec.requester)),
  );
  const wait = retryAfterMs(full, settings, now);
  if (wait !== null) return { kind: "full", retryAfterMs: wait };

  const open = await openLanes(ctx, scope, fresh, lanes, now);
  const batchId = batch === null ? undefined : await grow(ctx, batch, fresh.length, settings.maxBatchJobs);
  const watchedUntil = now + settings.watchMs;
  const inserted = await Promise.all(
    fresh.map(async ({ index, name, ...job }, at) => {
      const lane = present(open.get(name), "lane");
      // The fraction keeps the jobs of a call in their order.
      const rank = now + index / (2 * maxJobsPerCall);
      const width = widthAt(spreads[index] ?? null, lane.slots, now);
      const placed = { ...job, width, ordinal: ordinals[at] ?? 0 };
      const made = await insertJob(ctx, { ...placed, scope, lane, batchId, rank, watchedUntil }, now);
      await scheduleExpiry(ctx, made.jobId, { end: nextExpiry(job.spec, -Infinity), now });
      return { ...made, index };
    }),
  );
  // One after the other: each finds who waits still.
  let given = false;
  for (const [at, { index, name, spec }] of fresh.entries()) {
    const made = present(inserted[at], "inserted job");
    const near = nearby[index];
    if (near === undefined || !made.ready || lanes.get(name)?.state === "paused") continue;
    const { slots } = present(open.get(name), "lane");
    const { affinity, payload } = spec;
    if (await handOver(ctx, { scope, name, slots }, { ...made, affinity, payload, near }, now)) given = true;
  }
  if (given) await scheduleReclaim(ctx, scope, recall, now);
  await scheduleWakeUps(ctx, fresh, now);
  await scheduleTurns(ctx, scope, fresh);
  await scheduleWatchEnd(
    ctx,
    inserted.flatMap(({ index, jobId }) => (submission.jobs[index]?.watched === true ? [jobId] : [])),
    watchedUntil,
  );
  const jobIds = idsOf(fates, new Map(inserted.map(({ index, jobId }) => [index, jobId])));
  return { kind: "submitted", jobIds, repeated: forms.length - fresh.length };
}

function parse(specs: readonly JobSpec[]): readonly ParsedJob[] {
  if (specs.length === 0 || specs.length > maxJobsPerCall) {
    refuse("invalid", `A call submits 1 to ${String(maxJobsPerCall)} jobs.`);
  }
  return specs.map((spec) => {
    checkSpec(spec);
    const requirements = canonical(spec.requirements);
    const name = laneName(spec.kind, requirements);
    return { spec, kind: spec.kind, requirements, name, level: priorityNumber(spec.priority) };
  });
}

/** Everything that a submission reads, in one stage. */
async function readAll(
  ctx: QueryCtx,
  { scope, jobs, batchId, handOver: gives }: Submission,
  forms: readonly ParsedJob[],
) {
  const names = forms.map(({ name }) => name);
  const requesters = jobs.flatMap(({ requester }) => requester ?? []);
  const given = forms.slice(0, gives === true ? maxHandedOver : 0);
  const [
    settings,
    earlier,
    lanes,
    terms,
    outlooks,
    spreads,
    fullLanes,
    fullRequesters,
    batch,
    recall,
    nearby,
  ] = await Promise.all([
    settingsOf(ctx, scope),
    earlierJobs(ctx, scope, jobs),
    findLanes(ctx, scope, names),
    termsFor(ctx, scope, jobs),
    dependencyStates(ctx, scope, jobs),
    spreadsOf(
      ctx,
      scope,
      forms.map(({ name, spec }) => ({ lane: name, affinity: spec.affinity })),
    ),
    backlogsOf(ctx, scope, "lane", names),
    backlogsOf(ctx, scope, "requester", requesters),
    batchId === undefined ? null : loadOpenBatch(ctx, scope, batchId),
    gives === true ? reclaimOf(ctx, scope) : null,
    Promise.all(given.map(({ name, spec }) => findNearby(ctx, { scope, name }, spec.affinity))),
  ]);
  return {
    settings,
    earlier,
    lanes,
    terms,
    outlooks,
    spreads,
    crowds: [...fullLanes, ...fullRequesters],
    batch,
    recall,
    nearby,
  };
}
