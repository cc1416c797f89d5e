import type { Infer } from "convex/values";
import type { AllowedCapabilities, workerStatus } from "../../../shared/validators.ts";
import { releaseAll } from "../attempt/release.ts";
import { boundedName } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { names } from "../capabilities.ts";
import { record } from "../events.ts";
import { refuse } from "../refuse.ts";
import { leaveRings } from "../rings/membership.ts";
import { checkedLimits, limited, reportOf } from "./allowed.ts";

export type WorkerChange = {
  readonly name?: string;
  readonly groups?: readonly string[];
  readonly labels?: readonly string[];
  readonly dataClasses?: readonly string[];
  /** Null removes the limit. */
  readonly allowedCapabilities?: AllowedCapabilities | null;
  /** Null removes the limit. */
  readonly maxConcurrentJobs?: number | null;
  readonly status?: Infer<typeof workerStatus>;
  /** Whether a worker that is paused finishes its jobs instead of giving them back. */
  readonly keepsJobs?: boolean;
  readonly actor?: string;
};

/**
 * Changes what an organization decides about a worker. A worker that is no longer active gives its jobs back, unless `keepsJobs`
 * is set. If its groups, labels, data classes or limits change, it keeps its jobs and asks for new ones. A retired worker can't
 * return: its key is dead. Refuses: invalid.
 */
export async function update(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  {
    name,
    groups,
    labels,
    dataClasses,
    status = worker.status,
    keepsJobs = false,
    actor,
    ...limits
  }: WorkerChange,
  now: number,
): Promise<void> {
  if (worker.status === "retired" && status !== "retired") {
    refuse("invalid", "This worker was retired. Register it again with another key.");
  }
  if (name !== undefined) boundedName(name, "name");
  const allowed = {
    ...(groups === undefined ? {} : { groups: names(groups, "groups") }),
    ...(labels === undefined ? {} : { labels: names(labels, "labels") }),
    ...(dataClasses === undefined ? {} : { dataClasses: names(dataClasses, "dataClasses") }),
    ...changedLimits(worker, limits),
  };
  const stops = status !== "active" && worker.status === "active";
  await ctx.db.patch("workers", worker._id, {
    ...(name === undefined ? {} : { name }),
    ...allowed,
    status,
    lastChangeAt: now,
    ...(status === "retired" ? { online: false } : {}),
  });
  if (stops || Object.keys(allowed).length > 0) await leaveRings(ctx, worker._id);
  if (status !== "active" && !keepsJobs) await releaseAll(ctx, worker, status, now);
  const action = status === worker.status ? "worker.changed" : `worker.${status}`;
  await record(ctx, { scope: worker.scope, at: now, actor, action, subject: worker._id });
}

type LimitsChange = Pick<WorkerChange, "allowedCapabilities" | "maxConcurrentJobs">;

/** The fields that change with a worker's limits. A new life lets it try again what it was unfit for. */
function changedLimits(worker: Doc<"workers">, change: LimitsChange) {
  const { allowedCapabilities = worker.allowedCapabilities, maxConcurrentJobs = worker.maxConcurrentJobs } =
    change;
  if (change.allowedCapabilities === undefined && change.maxConcurrentJobs === undefined) return {};
  const limits = checkedLimits({ allowedCapabilities, maxConcurrentJobs });
  const reported = reportOf(worker);
  return {
    ...limits,
    ...(reported === undefined ? {} : limited(reported, limits)),
    life: worker.life + 1,
  };
}
