import type { Value } from "convex/values";
import type { MutationCtx } from "../../builders.ts";
import type { NextWork, Wish } from "../../validators.ts";
import { boundedSize } from "../bounds.ts";
import { applyPlan } from "../dispatch/next.ts";
import { noCursor } from "../dispatch/search.ts";
import { move } from "../jobs/move.ts";
import { renew } from "../leases/renew.ts";
import { subscriptionOf } from "../rings/membership.ts";
import { settingsOf } from "../settings.ts";
import { readAttemptEnd } from "./attemptEnd.ts";
import { begin } from "./start.ts";

/** What a worker says of its work beside the result is kept with the attempt and the job: small. */
const maxReportBytes = 16 * 1024;

export type CompleteArgs = {
  readonly keyHash: string;
  readonly attemptId: string;
  readonly result: Value;
  readonly report?: Value;
  readonly begins?: readonly string[];
  readonly wish: Wish;
};
export type CompleteOutcome =
  ({ kind: "completed"; reply?: Value } & NextWork) | ({ kind: "fenced" } & NextWork);

/**
 * Keeps the result, ends the job with all that belongs to it, and hands over the next ones, in one transaction. A
 * result of what was only held ahead is one, too. Asked again after the answer was lost: the same reply, nothing else.
 */
export async function complete(ctx: MutationCtx, args: CompleteArgs, now: number): Promise<CompleteOutcome> {
  const end = await readAttemptEnd(ctx, args);
  const { worker, lease, stands, attempt } = end;
  if (attempt?.workerId === worker._id && attempt.status === "succeeded") {
    await renew(ctx, worker, lease, now);
    const { reply } = attempt;
    const { cursor = noCursor } = args.wish;
    return {
      kind: "completed",
      ...(reply === undefined ? {} : { reply }),
      jobs: [],
      stands: stands.map(subscriptionOf),
      cursor,
    };
  }
  const [{ held, begins, planned }, settings] = await Promise.all([
    end.lookUp(now),
    settingsOf(ctx, worker.scope),
  ]);
  await renew(ctx, worker, lease, now, { holds: end.others + planned.found.length > 0 });
  await begin(ctx, begins, now);
  if (held === null) return { kind: "fenced", ...(await applyPlan(ctx, worker, planned, stands, now)) };

  const { result, report } = args;
  boundedSize(result, "The result", settings.maxPayloadBytes);
  if (report !== undefined) boundedSize(report, "The report", maxReportBytes);
  const said = report === undefined ? {} : { report };
  await ctx.db.insert("results", { jobId: held.job._id, result });
  const { reply } = await move(ctx, held.job, { kind: "complete" }, now, { job: said, attempt: said });
  const next = await applyPlan(ctx, worker, planned, stands, now);
  return { kind: "completed", ...(reply === undefined ? {} : { reply }), ...next };
}
