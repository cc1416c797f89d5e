import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { isFinal } from "../states.ts";
import { move } from "./move.ts";
import { nextExpiry } from "./timers.ts";

/** Which time ran out; null when none did. */
export function ranOut(
  job: Pick<Doc<"jobs">, "expiresAt" | "deadlineAt" | "startedAt">,
  now: number,
): "expiresAt" | "deadlineAt" | null {
  if (job.deadlineAt !== undefined && job.deadlineAt <= now) return "deadlineAt";
  // Begun once is begun, whatever became of that attempt.
  const begun = job.startedAt !== undefined;
  return !begun && job.expiresAt !== undefined && job.expiresAt <= now ? "expiresAt" : null;
}

/** Ends a job that was not begun, or is not done, in time; a worker that is at it sees its attempt leave `held`. */
export async function expire(ctx: MutationCtx, jobId: Id<"jobs">, now: number): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  if (job === null || isFinal(job.status)) return;
  const over = ranOut(job, now);
  if (over !== null) {
    const message = over === "expiresAt" ? "It was not begun in time." : "It was not done in time.";
    await move(ctx, job, { kind: "expire" }, now, { job: { error: { code: "expired", message } } });
    return;
  }
  const at = nextExpiry(job, now);
  if (at !== null) await ctx.scheduler.runAt(at, maintenance.expire, { jobId, at });
}
