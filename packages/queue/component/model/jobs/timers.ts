import type { Id, MutationCtx } from "../../builders.ts";
import type { JobSpec } from "../../validators.ts";
import { farthestMs } from "../bounds.ts";
import type { Outlook } from "../dependencies/dependOn.ts";
import { maintenance } from "../references.ts";
import type { Terms } from "./turns.ts";

type Prospect = {
  readonly spec: JobSpec;
  readonly terms: Terms;
  readonly outlook: Outlook | null;
};

/** The next time at which a job may be out of time; null when it never is. */
export function nextExpiry(
  { expiresAt, deadlineAt }: Pick<JobSpec, "expiresAt" | "deadlineAt">,
  after: number,
): number | null {
  const times = [expiresAt, deadlineAt].flatMap((at) => (at !== undefined && at > after ? [at] : []));
  return times.length === 0 ? null : Math.min(...times);
}

/** Has a job with an end looked at when that comes: one timer, that goes on to the next end, and to one too far ahead. */
export async function armExpiry(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  { end, now }: { readonly end: number | null; readonly now: number },
): Promise<void> {
  if (end === null) return;
  const at = Math.min(Math.max(end, now), now + farthestMs);
  await ctx.scheduler.runAt(at, maintenance.expire, { jobId, at });
}

/** One chain of wake-ups for all times of a submission: there may be 500. */
export async function armWakeUps(ctx: MutationCtx, jobs: readonly Prospect[], now: number): Promise<void> {
  const delays = jobs.flatMap(({ spec }) =>
    spec.delayMs === undefined || spec.delayMs === 0 ? [] : [spec.delayMs],
  );
  const [first, ...later] = [...new Set(delays)].sort((a, b) => a - b).map((delay) => now + delay);
  if (first === undefined) return;
  await ctx.scheduler.runAt(first, maintenance.wakeDue, later.length === 0 ? {} : { later });
}

/** Has turns given to the limited requesters and keys of a submission, once each. */
export async function armTurns(ctx: MutationCtx, scope: string, jobs: readonly Prospect[]): Promise<void> {
  const armed = new Set<string>();
  for (const { spec, terms } of jobs) {
    const of = terms.turnOf;
    const name = of === null ? undefined : spec[of];
    if (of === null || name === undefined || armed.has(`${of}:${name}`)) continue;
    armed.add(`${of}:${name}`);
    await ctx.scheduler.runAfter(0, maintenance.admit, { scope, of, name });
  }
}
