import { type AttemptView, type JobHistory, tooSlow } from "@gleaner/queue/validators";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import { answerRefused } from "../../../app/devices/reliability.ts";
import { attemptLimitMs } from "../../../app/jobs/extent.ts";
import type { StandingEvent } from "../../../app/trust/standing.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { evidenceOf } from "../devices/pastAttempts.ts";
import { queue } from "../queue.ts";
import { attemptsIn } from "../statistics/ended.ts";
import { noteEvent } from "./standings.ts";

/** The backend's error of a device that held a job for too long. */
const hung = "worker_timeout";
/** Failures of a device's program or files. A request can cause others: they are its own, or those of little memory. */
const ownFailures: ReadonlySet<string> = new Set([
  answerRefused,
  jobErrors.crashed.code,
  jobErrors.silent.code,
  jobErrors.modelCorrupt.code,
  "internal_error",
]);

type PastAttempt = JobHistory["attempts"][number];

/**
 * Notes the attempts of a job's last round that gave no answer, as far as they tell something about their devices. Call it once a
 * round, after its end.
 */
export async function noteUnanswered(
  ctx: MutationCtx,
  order: Doc<"orders">,
  history: JobHistory,
  now: number,
): Promise<void> {
  const { organizationId, jobId, modelId } = order;
  const attempts = await attemptsIn(ctx, order, history, history.round);
  const hasFailures = attempts.some(({ status }) => status === "failed");
  const views = hasFailures ? await queue.attempts(ctx, organizationId, jobId) : [];
  for (const attempt of attempts) {
    const event = eventOf(attempt, order, views);
    const deviceId = event === null ? null : ctx.db.normalizeId("devices", attempt.worker ?? "");
    if (event !== null && deviceId !== null)
      await noteEvent(ctx, { organizationId, deviceId, modelId }, event, now);
  }
}

function eventOf(
  attempt: PastAttempt,
  order: Doc<"orders">,
  views: readonly AttemptView[],
): StandingEvent | null {
  switch (attempt.status) {
    case "released":
      return "abort";
    case "lost":
      return "loss";
    case "outrun":
      return attempt.releaseReason === tooSlow ? "timeout" : null;
    case "expired":
      return isHeldLong(attempt, order) ? "timeout" : null;
    case "failed":
      return failureOf(attempt, views);
    default:
      return null;
  }
}

/** Whether the device had half of the time that it may hold the job. With less, the job came too late for it. */
function isHeldLong({ startedAt, endedAt }: PastAttempt, order: Doc<"orders">): boolean {
  const { most, promptTokens = most.promptTokens, tries = 1 } = order;
  return (endedAt ?? 0) - startedAt >= attemptLimitMs({ promptBytes: promptTokens, most, tries }) / 2;
}

/**
 * The event of a failure that speaks against the device; null for others. Another device has to have done the job. Only of a job that
 * was held for too long the backend itself knows that.
 */
function failureOf({ worker, claimedAt }: PastAttempt, views: readonly AttemptView[]): StandingEvent | null {
  const own = views.find((view) => view.worker === worker && view.claimedAt === claimedAt);
  const code = own?.error?.code ?? "";
  const tries = views.filter((view) => view.worker !== worker);
  if (evidenceOf(code, tries, false) !== "device") return null;
  if (code === hung) return "timeout";
  return ownFailures.has(code) ? "failure" : null;
}
