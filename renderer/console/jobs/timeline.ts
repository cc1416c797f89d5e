import type { JobDetail } from "../data/rows.ts";

type Attempt = JobDetail["attempts"][number];

/** A part of a job's life. `fromMs`: since the submission. `isNow`: it goes on. */
export type Step = {
  readonly key: string;
  readonly at: number;
  readonly fromMs: number;
  readonly ms: number;
  readonly isNow: boolean;
} & ({ readonly kind: "wait" } | { readonly kind: "attempt"; readonly attempt: Attempt });

/** Waits shorter than this are the queue's own work. They only clutter the page. */
const shortestWaitMs = 5;

/** The waits and attempts of a job in order, until its end or until now. Two attempts may overlap. */
export function timelineOf(
  job: Pick<JobDetail, "submittedAt" | "finishedAt" | "attempts">,
  now: number,
): { readonly steps: readonly Step[]; readonly totalMs: number } {
  const { submittedAt, finishedAt, attempts } = job;
  const end = Math.max(finishedAt ?? now, submittedAt);
  const steps: Step[] = [];
  let idleFrom = submittedAt;
  const wait = (until: number, isNow: boolean): void => {
    const ms = until - idleFrom;
    if (ms < shortestWaitMs && !isNow) return;
    const key = `wait ${String(steps.length)}`;
    steps.push({
      key,
      kind: "wait",
      at: idleFrom,
      fromMs: idleFrom - submittedAt,
      ms: Math.max(0, ms),
      isNow,
    });
  };
  for (const attempt of attempts) {
    const { startedAt, endedAt, number } = attempt;
    wait(startedAt, false);
    const until = endedAt ?? end;
    steps.push({
      key: `attempt ${String(number)}`,
      kind: "attempt",
      attempt,
      at: startedAt,
      fromMs: Math.max(0, startedAt - submittedAt),
      ms: Math.max(0, until - startedAt),
      isNow: endedAt === null,
    });
    idleFrom = Math.max(idleFrom, until);
  }
  const isRunning = attempts.some(({ endedAt }) => endedAt === null);
  if (!isRunning) wait(end, finishedAt === null);
  return { steps, totalMs: end - submittedAt };
}
