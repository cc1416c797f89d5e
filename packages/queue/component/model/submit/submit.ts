import {
  type JobSpec,
  maxJobsPerCall,
  type Requirements,
  type SubmitOutcome,
} from "../../../shared/validators.ts";
import { grow, loadOpenBatch } from "../batches/create.ts";
import { boundedSize } from "../bounds.ts";
import type { MutationCtx, QueryCtx } from "../builders.ts";
import { backlogsOf, busyAt, retryAfterMs } from "../counts/backlogs.ts";
import { type DependencyState, dependencyStates, noteDependents } from "../dependencies/dependOn.ts";
import { findNearby, handOver } from "../dispatch/handOver.ts";
import { reclaimOf, scheduleReclaim } from "../dispatch/reclaim.ts";
import { nextExpiry, scheduleExpiry } from "../end/expire.ts";
import { type HandedTo, insertPayload } from "../jobs/payloads.ts";
import { scheduleTurns, termsFor } from "../jobs/turns.ts";
import { scheduleWakeUps } from "../jobs/waiting.ts";
import { findLanes, openLanes } from "../lanes/lanesFor.ts";
import { canonical, laneName } from "../lanes/requirements.ts";
import { priorityNumber } from "../priority.ts";
import { present, refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";
import { spreadsOf } from "../spreads/spread.ts";
import { ordinalsOf, widthAt } from "../spreads/width.ts";
import { scheduleWatchEnd } from "../streams/follow.ts";
import { insertJob } from "./insertJob.ts";
import { earlierJobs, idsOf, resolveRepeats } from "./repeats.ts";
import { checkSpec } from "./spec.ts";

/** The most jobs of one call that are handed over. Each of the others wakes a worker. */
const maxHandedOver = 4;

export type Submission = {
  readonly scope: string;
  readonly jobs: readonly JobSpec[];
  readonly batchId?: string;
  /**
   * Whether the call may hand jobs to waiting workers. It may then conflict, so the caller should be able to try again
   * without.
   */
  readonly handOver?: boolean;
  /** If no fast worker is idle, a slow one gets the job that ends it at most so many ms later than usual. */
  readonly slowerByMs?: number;
  readonly spareLanes?: number;
};

/** A job with canonical requirements and the name of its lane. */
type ParsedJob = {
  readonly spec: JobSpec;
  readonly kind: string;
  readonly requirements: Requirements;
  readonly name: string;
  readonly priority: number;
};

/**
 * Submits jobs, all or none. Only point reads, of rows that are rarely written: by a new lane, an administrator, the
 * count of each minute, a claim that widens a spread, or the same idempotency key. So two submissions conflict only on
 * their batch and on hand-overs. Refuses: invalid, too_large, too_many_lanes, not_found (a batch, or a job to wait for).
 */
export async function submit(ctx: MutationCtx, submission: Submission, now: number): Promise<SubmitOutcome> {
  const { scope, slowerByMs } = submission;
  const parsed = parse(submission.jobs);
  const { settings, earlier, lanes, terms, dependencies, spreads, backlogs, batch, reclaim, nearby } =
    await readAll(ctx, submission, parsed);
  for (const { spec } of parsed) boundedSize(spec.payload, "The payload", settings.maxPayloadBytes);

  const resolutions = resolveRepeats(submission.jobs, earlier);
  const conflict = resolutions.find((resolution) => resolution.kind === "conflict");
  if (conflict !== undefined) return conflict;
  const newJobs = parsed.flatMap((form, index) =>
    resolutions[index]?.kind === "new"
      ? [{ ...form, index, terms: present(terms[index], "terms"), dependency: dependencies[index] ?? null }]
      : [],
  );
  const ordinals = ordinalsOf(newJobs.map(({ name, spec }) => ({ lane: name, affinity: spec.affinity })));
  if (newJobs.some(({ name }) => lanes.get(name)?.state === "draining")) return { kind: "draining" };
  const crowds = backlogs.filter((backlog) =>
    newJobs.some(({ name, spec }) => backlog.name === (backlog.of === "lane" ? name : spec.requester)),
  );
  const wait = retryAfterMs(crowds, settings, now);
  if (wait !== null) return { kind: "full", retryAfterMs: wait };
  const busy = busyAt(crowds, newJobs.filter(startsAtOnce).map(startOf), settings);
  if (busy !== null) return busy;

  const open = await openLanes(ctx, scope, newJobs, lanes, now, submission.spareLanes);
  const batchId = batch === null ? undefined : await grow(ctx, batch, newJobs.length, settings.maxBatchJobs);
  const watchedUntil = now + settings.watchMs;
  const inserted = await Promise.all(
    newJobs.map(async ({ index, name, ...job }, at) => {
      const lane = present(open.get(name), "lane");
      // The fraction keeps the jobs of a call in their order.
      const rank = now + index / (2 * maxJobsPerCall);
      const width = widthAt(spreads[index] ?? null, lane.slots, now);
      const placed = { ...job, width, ordinal: ordinals[at] ?? 0, settings };
      const made = await insertJob(ctx, { ...placed, scope, lane, batchId, rank, watchedUntil }, now);
      await scheduleExpiry(ctx, made.row._id, { end: nextExpiry(job.spec, -Infinity), now });
      return { ...made, index };
    }),
  );
  // One after the other, so that each job finds the workers that are still idle.
  const handed: (HandedTo | null)[] = [];
  for (const [at, { index, name, spec }] of newJobs.entries()) {
    const made = present(inserted[at], "inserted job");
    const near = nearby[index];
    const { slots } = present(open.get(name), "lane");
    const given = near === undefined ? null : { job: made.row, payload: spec.payload, near, slowerByMs };
    const { state, rate } = lanes.get(name) ?? {};
    const mayBeHanded = given !== null && made.ready && state !== "paused";
    handed.push(mayBeHanded ? await handOver(ctx, { scope, name, slots, rate }, given, now) : null);
  }
  await Promise.all(
    inserted.map(({ row }, at) =>
      insertPayload(ctx, row._id, newJobs[at]?.spec.payload ?? null, handed[at] ?? null),
    ),
  );
  if (handed.some((to) => to !== null)) await scheduleReclaim(ctx, scope, reclaim, now);
  await noteDependents(
    ctx,
    newJobs.map(({ dependency }) => dependency),
  );
  await scheduleWakeUps(ctx, newJobs, now);
  await scheduleTurns(ctx, scope, newJobs);
  await scheduleWatchEnd(
    ctx,
    inserted.flatMap(({ index, row }) => (submission.jobs[index]?.watched === true ? [row._id] : [])),
    watchedUntil,
  );
  const jobIds = idsOf(resolutions, new Map(inserted.map(({ index, row }) => [index, row._id])));
  return {
    kind: "submitted",
    jobIds,
    repeated: parsed.length - newJobs.length,
    handed: handed.filter((to) => to !== null).length,
  };
}

/** Jobs that wait for a time or for other jobs are not refused because of today's wait. */
function startsAtOnce({
  spec: { delayMs = 0 },
  dependency,
}: {
  readonly spec: JobSpec;
  readonly dependency: DependencyState | null;
}): boolean {
  return delayMs === 0 && (dependency === null || dependency.kind === "go");
}

function startOf({ name, priority, spec: { called = false } }: ParsedJob) {
  return { name, priority, called };
}

function parse(specs: readonly JobSpec[]): readonly ParsedJob[] {
  if (specs.length === 0 || specs.length > maxJobsPerCall) {
    refuse("invalid", `A call submits 1 to ${String(maxJobsPerCall)} jobs.`);
  }
  return specs.map((spec) => {
    checkSpec(spec);
    const requirements = canonical(spec.requirements);
    const name = laneName(spec.kind, requirements);
    return { spec, kind: spec.kind, requirements, name, priority: priorityNumber(spec.priority) };
  });
}

/** All reads of a submission, in one stage. */
async function readAll(
  ctx: QueryCtx,
  { scope, jobs, batchId, handOver: gives }: Submission,
  parsed: readonly ParsedJob[],
) {
  const names = parsed.map(({ name }) => name);
  const requesters = jobs.flatMap(({ requester }) => requester ?? []);
  const given = parsed.slice(0, gives === true ? maxHandedOver : 0);
  const [
    settings,
    earlier,
    lanes,
    terms,
    dependencies,
    spreads,
    fullLanes,
    fullRequesters,
    batch,
    reclaim,
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
      parsed.map(({ name, spec }) => ({ lane: name, affinity: spec.affinity })),
    ),
    backlogsOf(ctx, scope, "lane", names),
    backlogsOf(ctx, scope, "requester", requesters),
    batchId === undefined ? null : loadOpenBatch(ctx, scope, batchId),
    gives === true ? reclaimOf(ctx, scope) : null,
    Promise.all(given.map(({ name, spec }) => findNearby(ctx, { scope, name }, spec))),
  ]);
  return {
    settings,
    earlier,
    lanes,
    terms,
    dependencies,
    spreads,
    backlogs: [...fullLanes, ...fullRequesters],
    batch,
    reclaim,
    nearby,
  };
}
