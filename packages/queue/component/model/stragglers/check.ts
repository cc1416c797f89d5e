import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { heldByKey } from "../jobs/held.ts";
import { progressRow } from "../jobs/rows.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { policyOf, settingsOf } from "../settings.ts";
import { lastTextAt } from "../streams/chunks.ts";
import { checkOf, scheduleCheck, toleratedMs } from "../suspicion.ts";
import { findSecond, giveToSecond } from "./second.ts";

/*
 * The rule for second attempts. They cost another worker's time, so they have to gain more than they cost:
 * - Only idle workers get them, and only while no job of the lane is ready.
 * - At most one of twenty running jobs has one, and one more. At most three a job in a round.
 * - The second worker must be expected to end sooner than the first one has already taken.
 * - An attempt that still sends text or progress is left alone until it has taken three times as long as it may.
 * - The app can turn them off: `policy.secondAttempt`.
 */

/** A check that comes this late means that the backend was away, so no worker could report an end. */
const lateMs = 5_000;
const perRun = 50;
/** The shortest pause between two checks. */
const restMs = 250;
/** An attempt that nothing could be done for is looked at again after a fourth of the time that it has taken. */
const againAfter = 1 / 4;
const leastAgainMs = 1_000;
const mostAgainMs = 60_000;
/** While a second worker has the job, the first attempt is looked at again: the second may be given back. */
const pairAgainMs = 5_000;

const share = 1 / 20;
/** The most second attempts of a scope at a time, since they are all read. */
const mostSeconds = 32;
const mostSecondsOfJob = 3;

/** An attempt is under way if it sent text or progress less than this ago. */
const quietMs = 2_000;
const timesWhileMoving = 3;

export type StragglerCheck = {
  readonly scope: string;
  readonly due: number;
  /** Whether the last check came late, too. */
  readonly graced?: boolean | undefined;
};

/**
 * Looks at the attempts of a scope that take too long, and gives their jobs to idle workers, too. Runs again when the next
 * attempt is suspected. Reads none of the rows of other attempts.
 */
export async function checkStragglers(
  ctx: MutationCtx,
  { scope, due, graced = false }: StragglerCheck,
  now: number,
): Promise<void> {
  if (now - due > lateMs && !graced) {
    const again = { scope, due: now + lateMs, graced: true };
    await ctx.scheduler.runAfter(lateMs, maintenance.checkStragglers, again);
    return;
  }
  const [row, suspects] = await Promise.all([checkOf(ctx, scope), suspectsOf(ctx, scope, 0, now, perRun)]);
  if (suspects.length > 0) {
    const seconds = await stillOpen(ctx, row?.seconds ?? []);
    const most = await mostSecondsOf(ctx, scope);
    for (const attempt of suspects) {
      const looked = await look(ctx, attempt, seconds.length < most, now);
      if (looked.second !== undefined) seconds.push(looked.second);
      await ctx.db.patch("attempts", attempt._id, { suspectAt: looked.again });
    }
    if (row !== null) await ctx.db.patch("stragglerChecks", row._id, { seconds });
  }
  const [next] = suspects.length === perRun ? suspects : await suspectsOf(ctx, scope, now, Infinity, 1);
  const at = Math.max(now + restMs, next?.suspectAt ?? 0);
  const isArmed = row !== null && row.due !== due && row.due > now && row.due <= at;
  if (next !== undefined && !isArmed) await scheduleCheck(ctx, scope, await checkOf(ctx, scope), at);
}

/** Open attempts that are suspected in a time, the earliest first. */
async function suspectsOf(
  ctx: QueryCtx,
  scope: string,
  after: number,
  until: number,
  most: number,
): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_suspect", (q) => q.eq("scope", scope).gt("suspectAt", after).lte("suspectAt", until))
    .take(most);
}

async function stillOpen(ctx: QueryCtx, ids: readonly Id<"attempts">[]): Promise<Id<"attempts">[]> {
  const attempts = await Promise.all(ids.map((id) => ctx.db.get("attempts", id)));
  return attempts.flatMap((attempt) => (attempt?.open === true ? [attempt._id] : []));
}

/** How many second attempts the scope may have now, by the last count of its running jobs. */
async function mostSecondsOf(ctx: QueryCtx, scope: string): Promise<number> {
  const lanes = await ctx.db
    .query("laneCounts")
    .withIndex("by_scope", (q) => q.eq("scope", scope))
    .collect();
  const running = lanes.reduce((sum, lane) => sum + lane.running, 0);
  return Math.min(mostSeconds, 1 + Math.floor(share * running));
}

/** `again`: when to look again; undefined: never. `second`: the attempt that the second worker got. */
type Look = { readonly again: number | undefined; readonly second?: Id<"attempts"> };

const never: Look = { again: undefined };

async function look(
  ctx: MutationCtx,
  attempt: Doc<"attempts">,
  mayDouble: boolean,
  now: number,
): Promise<Look> {
  const [found, owner, settings] = await Promise.all([
    ctx.db.get("jobs", attempt.jobId),
    ctx.db.get("workers", attempt.workerId),
    settingsOf(ctx, attempt.scope),
  ]);
  const job = present(found, "job of an open attempt");
  const worker = present(owner, "worker of an open attempt");
  if (!policyOf(settings, job.policy).secondAttempt) return never;
  if (job.secondAttemptId !== undefined) return { again: now + pairAgainMs };
  if ((job.secondAttempts ?? 0) >= mostSecondsOfJob) return never;

  const since = attempt.startedAt ?? attempt.claimedAt;
  const tookMs = now - since;
  const againMs = Math.min(mostAgainMs, Math.max(leastAgainMs, Math.ceil(tookMs * againAfter)));
  const later: Look = { again: now + againMs };
  const held = await heldByKey(ctx, worker.keyHash);
  const tolerated = toleratedMs(worker, job, held.filter(({ status }) => status === "running").length);
  // Its worker no longer says how fast it is.
  if (tolerated === null) return later;
  if (tookMs < tolerated) return { again: since + tolerated };
  if (!mayDouble) return later;
  const isMoving = now - (await lastSignOf(ctx, attempt)) < quietMs;
  if (isMoving && tookMs < timesWhileMoving * tolerated) return later;

  const second = await findSecond(ctx, job, worker, tookMs, now);
  if (second === null) return later;
  return { again: now + pairAgainMs, second: await giveToSecond(ctx, job, second, now) };
}

/** When the attempt last sent text or progress; 0 if it sent nothing, or nobody reads its text. */
async function lastSignOf(ctx: QueryCtx, { _id, jobId }: Doc<"attempts">): Promise<number> {
  const [textAt, progress] = await Promise.all([lastTextAt(ctx, _id), progressRow(ctx, jobId)]);
  return Math.max(textAt, progress?.attemptId === _id ? (progress.at ?? 0) : 0);
}
