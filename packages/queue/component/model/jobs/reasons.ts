import { type Infer, v } from "convex/values";
import { limitedBy } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { findOwned, firstOf, remembered } from "../load.ts";
import { refuse } from "../refuse.ts";
import { limitOf } from "./turns.ts";

/** Why a job does not run now. */
export const waitReason = v.union(
  /** It may not run before then (ms epoch): it was submitted with a delay, or failed and is tried again. */
  v.object({ kind: v.literal("time"), until: v.union(v.number(), v.null()), retried: v.boolean() }),
  /** It depends on another job. */
  v.object({ kind: v.literal("job"), jobId: v.string() }),
  /** As many jobs of its requester or key as the limit allows are ready or held. */
  v.object({
    kind: v.literal("limit"),
    of: limitedBy,
    name: v.string(),
    limit: v.union(v.number(), v.null()),
  }),
  v.object({
    kind: v.literal("paused"),
    laneId: v.string(),
    by: v.union(v.string(), v.null()),
    since: v.union(v.number(), v.null()),
  }),
  /** No worker accepts jobs. */
  v.object({ kind: v.literal("no-worker") }),
  /** Workers accept jobs, but none of them has the model. */
  v.object({ kind: v.literal("no-model") }),
  /** Workers accept jobs, but none of them meets all requirements. */
  v.object({ kind: v.literal("no-match") }),
  /** The workers that could run it are busy, or are about to take it. */
  v.object({ kind: v.literal("busy") }),
);
export type WaitReason = Infer<typeof waitReason>;

const maxJobs = 100;
/** Online workers that are looked at. In a larger fleet, a worker that accepts jobs is mostly among them. */
const workersSeen = 50;

/** Why some of a scope's jobs wait. Jobs that wait for nothing are left out. Refuses: invalid. */
export async function waitReasonsOf(
  ctx: QueryCtx,
  scope: string,
  jobIds: readonly string[],
): Promise<{ jobId: string; reason: WaitReason }[]> {
  if (jobIds.length > maxJobs) refuse("invalid", `jobIds may have at most ${String(maxJobs)} ids.`);
  const known: Known = { lanes: new Map(), limits: new Map(), workers: null };
  const found = await Promise.all(
    jobIds.map(async (jobId) => {
      const job = await findOwned(ctx, "jobs", scope, jobId);
      const reason = job === null ? null : await reasonOf(ctx, job, known);
      return reason === null ? [] : [{ jobId, reason }];
    }),
  );
  return found.flat();
}

/** What several jobs share is read once. */
type Known = {
  readonly lanes: Map<Id<"lanes">, Promise<WaitReason>>;
  readonly limits: Map<string, Promise<Doc<"limits"> | null>>;
  workers: Promise<readonly Doc<"workers">[]> | null;
};

async function reasonOf(ctx: QueryCtx, job: Doc<"jobs">, known: Known): Promise<WaitReason | null> {
  if (job.status === "ready") {
    return await remembered(known.lanes, job.laneId, () => reasonOfLane(ctx, job, known));
  }
  if (job.status !== "waiting") return null;
  if (job.waitsFor === "time") {
    return { kind: "time", until: job.dueAt ?? null, retried: job.attempts > 0 };
  }
  if (job.waitsFor === "jobs") {
    const dependency = await firstOf(
      ctx.db.query("dependencies").withIndex("by_job", (q) => q.eq("jobId", job._id)),
    );
    return dependency === null ? null : { kind: "job", jobId: dependency.on };
  }
  const of = job.turnOf ?? "requester";
  const name = job[of] ?? "";
  const limit = await remembered(known.limits, `${of} ${name}`, () => limitOf(ctx, job.scope, of, name));
  return { kind: "limit", of, name, limit: limit?.concurrency ?? null };
}

async function reasonOfLane(ctx: QueryCtx, job: Doc<"jobs">, known: Known): Promise<WaitReason> {
  const { scope, laneId, requirements } = job;
  const lane = await ctx.db.get("lanes", laneId);
  if (lane?.state === "paused") {
    return { kind: "paused", laneId, by: lane.stateBy ?? null, since: lane.stateAt ?? null };
  }
  const home = await firstOf(ctx.db.query("homes").withIndex("by_lane", (q) => q.eq("laneId", laneId)));
  if (home !== null) return { kind: "busy" };
  known.workers ??= acceptingWorkers(ctx, scope);
  const workers = await known.workers;
  if (workers.length === 0) return { kind: "no-worker" };
  const { model } = requirements ?? {};
  const have = ({ capabilities }: Doc<"workers">): boolean =>
    model === undefined || capabilities?.models?.includes(model) === true;
  return workers.some(have) ? { kind: "no-match" } : { kind: "no-model" };
}

/** Online workers that accept jobs: they have a home, or wait for a lane that they could run. */
async function acceptingWorkers(ctx: QueryCtx, scope: string): Promise<readonly Doc<"workers">[]> {
  const online = await ctx.db
    .query("workers")
    .withIndex("by_online", (q) => q.eq("scope", scope).eq("online", true))
    .take(workersSeen);
  const accepts = await Promise.all(
    online.map(async ({ _id }) => {
      const home = ctx.db.query("homes").withIndex("by_worker", (q) => q.eq("workerId", _id));
      if ((await firstOf(home)) !== null) return true;
      const waiter = ctx.db.query("stands").withIndex("by_worker", (q) => q.eq("workerId", _id));
      return (await firstOf(waiter)) !== null;
    }),
  );
  return online.filter((_, at) => accepts[at]);
}
