import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { clip } from "../bounds.ts";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { othersFor, withUnfit } from "../dispatch/avoid.ts";
import { applyPlan } from "../dispatch/next.ts";
import type { Held } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { ringPositionForAnother } from "../jobs/positionForAnother.ts";
import { scheduleWakeUp } from "../jobs/waiting.ts";
import { renew } from "../leases/renew.ts";
import { present } from "../refuse.ts";
import { policyOf, type Settings, settingsOf } from "../settings.ts";
import { checkAndPlan, readAttemptEnd } from "./attemptEnd.ts";
import { retryAfter } from "./backoff.ts";
import { startHeld } from "./start.ts";

const maxCodeChars = 100;
const maxMessageChars = 500;

/**
 * Ends an attempt with an error, and gives the worker its next jobs, in one transaction. The job is retried after a
 * back-off, or becomes a dead letter.
 */
export async function fail(
  ctx: MutationCtx,
  { judged, ...args }: WorkerCall<"fail"> & Pick<Failure, "judged">,
  now: number,
): Promise<WorkerAnswer<"fail">> {
  const end = await readAttemptEnd(ctx, args);
  const { worker, lease, waiters, others } = end;
  const [{ held, starts, planned }, settings] = await Promise.all([
    checkAndPlan(ctx, end, now),
    settingsOf(ctx, worker.scope),
  ]);
  await renew(ctx, worker, lease, now, { holds: others + planned.found.length > 0 });
  await startHeld(ctx, worker, starts, now);
  if (held !== null) await failOnce(ctx, held, { ...args.error, judged }, settings, now);
  const next = await applyPlan(ctx, worker, planned, waiters, now);
  return { kind: held === null ? "fenced" : "failed", ...next };
}

type Failure = WorkerCall<"fail">["error"] & {
  /** The app's judgment of an error that is not retryable: the job proves it, or the job refutes it. */
  readonly judged?: "true" | "false" | undefined;
};

/** A job that this many workers could not run is a dead letter. */
const maxUnfit = 16;

/**
 * An `unfit` worker counts as no failure. The job goes to another worker without a back-off. A failure that the job caused
 * counts twice: in `failures`, and in `failuresByJob`, which has a lower limit. An error that is not retryable is a verdict on
 * the job. Until enough workers have given it, others get the job without a back-off. A job that another worker has at the
 * same time goes on there, however often it has failed: only a verdict ends it.
 */
export async function failOnce(
  ctx: MutationCtx,
  { attempt: by, job }: Held,
  { code, message, retryable, unfit = false, byJob = false, judged }: Failure,
  settings: Settings,
  now: number,
): Promise<void> {
  const { workerId } = by;
  const error = { code: clip(code, maxCodeChars), message: clip(message, maxMessageChars) };
  const policy = policyOf(settings, job.policy);
  const failures = job.failures + (unfit ? 0 : 1);
  const unfits = unfit ? { unfit: withUnfit(job, await workerById(ctx, workerId)) } : {};
  const failuresByJob = (job.failuresByJob ?? 0) + (byJob ? 1 : 0);
  const tooMany =
    failures >= policy.maxFailures ||
    failuresByJob >= policy.maxFailuresByJob ||
    (unfits.unfit?.length ?? 0) >= maxUnfit;
  const isVerdict = !retryable && !unfit && judged !== "false";
  const verdicts = isVerdict ? { verdicts: withVerdict(job, { workerId, code: error.code }) } : {};
  const isBelieved =
    isVerdict && (judged === "true" || (await isAgreed(ctx, { ...job, ...verdicts }, policy.agreement)));
  const goesOn = job.secondAttemptId !== undefined;
  const final = isBelieved || (tooMany && !goesOn);
  const next = final
    ? { error }
    : goesOn
      ? {}
      : { place: await ringPositionForAnother(ctx, { ...job, ...unfits }, workerId) };
  const waitMs = final || goesOn || unfit || isVerdict ? 0 : retryAfter(policy, failures, Math.random());
  const delayed = waitMs > 0;
  const dueAt = now + waitMs;
  const wait = delayed ? { waitsFor: "time" as const, dueAt } : {};
  await move(ctx, job, { kind: "fail", final, delayed }, now, {
    by,
    job: { failures, ...(byJob ? { failuresByJob } : {}), ...unfits, ...verdicts, ...next, ...wait },
    attempt: { error },
  });
  if (delayed) await scheduleWakeUp(ctx, [dueAt]);
}

async function workerById(ctx: MutationCtx, workerId: Id<"workers">): Promise<Doc<"workers">> {
  return present(await ctx.db.get("workers", workerId), "worker of an attempt");
}

type Verdicts = NonNullable<Doc<"jobs">["verdicts"]>;

/** Adds a worker's verdict in place of its earlier one. The list is short, because each entry is a failure. */
function withVerdict({ verdicts = [] }: Doc<"jobs">, added: Verdicts[number]): Verdicts {
  return [...verdicts.filter(({ workerId }) => workerId !== added.workerId), added];
}

/** Whether enough workers have given the last verdict, or no other worker could be asked. */
async function isAgreed(ctx: MutationCtx, job: Doc<"jobs">, agreement: number): Promise<boolean> {
  const { verdicts = [] } = job;
  const last = verdicts.at(-1);
  const agreeing = verdicts.filter(({ code }) => code === last?.code).map(({ workerId }) => workerId);
  if (last === undefined || agreeing.length >= agreement) return true;
  const others = await othersFor(ctx, job, last.workerId);
  return others.every((workerId) => agreeing.includes(workerId));
}
