import type { JobSpec, Requirements, Subtask } from "../../../shared/validators.ts";
import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { authenticate } from "../authenticate.ts";
import { boundedInteger } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { attemptById, passFence } from "../jobs/held.ts";
import { leaseByKey, renew } from "../leases/renew.ts";
import { defined } from "../load.ts";
import { priorityName } from "../priority.ts";
import { refuse } from "../refuse.ts";
import { policyOf, settingsOf } from "../settings.ts";
import { submit } from "./submit.ts";

/** The most subtasks of one call. */
const maxPerCall = 100;

/**
 * Submits jobs in the name of a job that the worker holds. Their numbers are their idempotency keys. So the bound holds
 * for all attempts at the job together, without a count.
 */
export async function submitSubtasks(
  ctx: MutationCtx,
  { keyHash, attemptId, first, jobs }: WorkerCall<"submit">,
  now: number,
): Promise<WorkerAnswer<"submit">> {
  boundedInteger(first, "first", 0, Number.MAX_SAFE_INTEGER);
  if (jobs.length > maxPerCall)
    refuse("invalid", `A worker submits at most ${String(maxPerCall)} jobs in a call.`);
  const [worker, lease, attempt] = await Promise.all([
    authenticate(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    attemptById(ctx, attemptId),
  ]);
  const held = await passFence(ctx, worker, attempt);
  await renew(ctx, worker, lease, now, { holds: true });
  if (held === null) return { kind: "fenced" };
  const { job } = held;
  const most = policyOf(await settingsOf(ctx, job.scope), job.policy).maxSubtasks;
  if (first + jobs.length > most) return { kind: "not-allowed", most };
  const inherited = inheritedBy(job);
  const specs = jobs.map((subtask, index) => ({
    ...subtask,
    ...inherited,
    requirements: requirementsOf(job, subtask),
    idempotencyKey: `subtask:${job._id}:${String(job.round)}:${String(first + index)}`,
  }));
  return await submit(ctx, { scope: job.scope, jobs: specs }, now);
}

/**
 * A subtask may hold the data of its job. So it goes only to workers to which the app would give the job, by groups, labels, data class
 * and `exceptWorkers`. Labels may be added; of the groups, the job's remain.
 */
function requirementsOf({ requirements: own = {} }: Doc<"jobs">, { requirements }: Subtask): Requirements {
  const labels = [...(own.labels ?? []), ...(requirements?.labels ?? [])];
  return {
    ...requirements,
    ...(labels.length === 0 ? {} : { labels }),
    ...defined({
      groups: own.groups ?? requirements?.groups,
      dataClass: own.dataClass ?? requirements?.dataClass,
    }),
  };
}

/**
 * The fields that a worker cannot choose. A subtask has no subtasks, so that their number is bounded. It has no `onFinal` and
 * no `context`, because those belong to the job that the app submitted.
 */
function inheritedBy({ requester, key, level, policy, exceptWorkers }: Doc<"jobs">): Partial<JobSpec> {
  return {
    priority: priorityName(level),
    policy: { ...policy, maxSubtasks: 0 },
    ...defined({ requester, key, exceptWorkers }),
  };
}
