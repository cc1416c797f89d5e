import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { formatMomentOfWeek, formatSpan } from "../../app/format/time.ts";

/** How the donor stands, in lines for a person. `now` is ms since the epoch. */
export function sayStatus(status: CallAnswer<"status">, now: number): string {
  const { activity, organization, device, connection, job, pause, donateNowUntil, finishing } = status;
  const lines = [
    `${activity.short}, since ${formatMomentOfWeek(activity.since, now)}. ${activity.sentence}`,
    ...(activity.gives === null ? [] : [activity.gives]),
    organization === null
      ? `Belongs to no organization yet; ${connection}.`
      : `${organization}, as ${device ?? "a device"}; ${connection}.`,
  ];
  if (pause !== null) lines.push(`Paused until ${momentOrResumed(pause.until, now)}.`);
  if (donateNowUntil !== null)
    lines.push(`Donates in use or not until ${formatMomentOfWeek(donateNowUntil, now)}.`);
  if (finishing) lines.push("Finishes the job under way, then pauses.");
  if (job !== null) {
    lines.push(`A job for ${job.modelId}: ${job.phase}, for ${formatSpan(now - job.startedAt)}.`);
  }
  return lines.join("\n");
}

function momentOrResumed(until: number | null, now: number): string {
  return until === null ? "somebody resumes (`gleaner resume`)" : formatMomentOfWeek(until, now);
}
