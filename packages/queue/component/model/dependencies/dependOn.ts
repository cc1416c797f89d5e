import type { JobSpec } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { isFinal } from "../jobs/states.ts";
import { loadOwned } from "../load.ts";

export type After = NonNullable<JobSpec["after"]>;

export type DependencyState =
  /** All dependencies have ended as required. */
  | { readonly kind: "go" }
  /** These jobs are not final yet. */
  | { readonly kind: "wait"; readonly on: readonly Doc<"jobs">[] }
  /** A job that had to succeed has ended otherwise. */
  | { readonly kind: "failed"; readonly jobId: Id<"jobs"> };

/**
 * Whether a new job has to wait for other jobs of its scope. Cycles are impossible: a job depends on older jobs only,
 * and dependencies are never added later. Refuses: not_found.
 */
async function dependencyState(ctx: QueryCtx, scope: string, after: After): Promise<DependencyState> {
  const ids = [...new Set(after.jobs)];
  const jobs = await Promise.all(ids.map((id) => loadOwned(ctx, "jobs", scope, id)));
  const failed = after.when === "succeeded" ? jobs.find(endedOtherwise) : undefined;
  if (failed !== undefined) return { kind: "failed", jobId: failed._id };
  const on = jobs.filter((job) => !isFinal(job.status));
  return on.length === 0 ? { kind: "go" } : { kind: "wait", on };
}

/** Stores the dependencies of a new job. */
export async function addDependencies(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  on: readonly Id<"jobs">[],
  when: After["when"],
): Promise<void> {
  for (const other of on) await ctx.db.insert("dependencies", { jobId, on: other, when });
}

/** Notes at the jobs that others wait for, each once, that their end has somebody to notify. */
export async function noteDependents(
  ctx: MutationCtx,
  states: readonly (DependencyState | null)[],
): Promise<void> {
  const on = states.flatMap((state) => (state?.kind === "wait" ? state.on : []));
  const unmarked = new Set(on.flatMap((job) => (job.hasDependents === true ? [] : [job._id])));
  for (const jobId of unmarked) await ctx.db.patch("jobs", jobId, { hasDependents: true });
}

function endedOtherwise({ status }: Doc<"jobs">): boolean {
  return isFinal(status) && status !== "succeeded";
}

/** The dependency state of each new job, in order; null for a job without dependencies. */
export async function dependencyStates(
  ctx: QueryCtx,
  scope: string,
  specs: readonly JobSpec[],
): Promise<(DependencyState | null)[]> {
  return await Promise.all(
    specs.map(async ({ after }) => (after === undefined ? null : await dependencyState(ctx, scope, after))),
  );
}
