import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import type { JobSpec } from "../../validators.ts";
import { isFinal } from "../jobs/states.ts";
import { loadOwned } from "../load.ts";
import { refuse } from "../refuse.ts";

export type After = NonNullable<JobSpec["after"]>;

export type DependencyState =
  /** Whatever it depends on has ended as it should. */
  | { readonly kind: "go" }
  /** On these. */
  | { readonly kind: "wait"; readonly on: readonly Id<"jobs">[] }
  /** It needs a job to succeed that has ended otherwise. */
  | { readonly kind: "failed"; readonly jobId: Id<"jobs"> };

/** Jobs that one job may depend on. */
const maxDependencies = 100;

/**
 * Whether a job that is to be submitted has to wait for others of its scope. Circles cannot come about: what a job
 * depends on was there before it, and dependencies are never added later.
 */
async function dependencyState(ctx: QueryCtx, scope: string, after: After): Promise<DependencyState> {
  if (after.jobs.length > maxDependencies) {
    refuse("invalid", `A job depends on at most ${String(maxDependencies)} others.`);
  }
  const ids = [...new Set(after.jobs)];
  const jobs = await Promise.all(ids.map((id) => loadOwned(ctx, "jobs", scope, id)));
  const failed = after.when === "succeeded" ? jobs.find(endedOtherwise) : undefined;
  if (failed !== undefined) return { kind: "failed", jobId: failed._id };
  const on = jobs.filter((job) => !isFinal(job.status)).map((job) => job._id);
  return on.length === 0 ? { kind: "go" } : { kind: "wait", on };
}

/** Has a job that was just submitted wait for others. */
export async function addDependencies(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  on: readonly Id<"jobs">[],
  when: After["when"],
): Promise<void> {
  for (const other of on) await ctx.db.insert("dependencies", { jobId, on: other, when });
}

function endedOtherwise({ status }: Doc<"jobs">): boolean {
  return isFinal(status) && status !== "succeeded";
}

/** Whether each job, in order, has to wait for others; null for one that depends on none. */
export async function dependencyStates(
  ctx: QueryCtx,
  scope: string,
  specs: readonly JobSpec[],
): Promise<(DependencyState | null)[]> {
  return await Promise.all(
    specs.map(async ({ after }) => (after === undefined ? null : await dependencyState(ctx, scope, after))),
  );
}
