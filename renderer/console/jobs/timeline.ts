import type { JobDetail } from "../data/rows.ts";

type Attempt = JobDetail["attempts"][number];

/** A part of a job's life. `fromMs`: since the submission. `isNow`: it goes on. */
export type Step = {
  readonly key: string;
  readonly at: number;
  readonly fromMs: number;
  readonly ms: number;
  readonly isNow: boolean;
} & (
  | { readonly kind: "wait" }
  | { readonly kind: "attempt"; readonly attempt: Attempt; readonly isHandedOver: boolean }
  | { readonly kind: "hand-over"; readonly handOver: HandOver }
);

/** A moment in which a job left a device, or a second device got it, too. `to` is null while no device has it. */
export type HandOver = {
  readonly how: "stolen" | "released" | "lost" | "failed" | "second";
  readonly from: Attempt;
  readonly to: Attempt | null;
};

/** Waits shorter than this are the queue's own work. They only clutter the page. */
const shortestWaitMs = 5;

/** The waits, attempts and hand-overs of a job in order, until its end or until now. Two attempts may overlap. */
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
  const isOver = finishedAt !== null;
  /** The numbers of the attempts that a hand-over led to. */
  const received = new Set<number>();
  const handOver = (given: HandOver, at: number): void => {
    const key = `hand-over ${String(steps.length)}`;
    const fromMs = Math.max(0, at - submittedAt);
    steps.push({ key, kind: "hand-over", handOver: given, at, fromMs, ms: 0, isNow: false });
    if (given.to !== null) received.add(given.to.number);
  };
  for (const [at, attempt] of attempts.entries()) {
    const { startedAt, endedAt, number } = attempt;
    wait(startedAt, false);
    const until = endedAt ?? end;
    const runs = attempts.slice(0, at).find((before) => (before.endedAt ?? Infinity) > startedAt);
    if (runs !== undefined && !received.has(number))
      handOver({ how: "second", from: runs, to: attempt }, startedAt);
    const how = howOf(attempt);
    const next = attempts.slice(at + 1).find((later) => later.startedAt >= until) ?? null;
    const isElsewhere = attempts.some((other) => other !== attempt && other.endedAt === null);
    const isHandedOver = how !== null && (next !== null || (!isOver && !isElsewhere));
    steps.push({
      key: `attempt ${String(number)}`,
      kind: "attempt",
      attempt,
      isHandedOver,
      at: startedAt,
      fromMs: Math.max(0, startedAt - submittedAt),
      ms: Math.max(0, until - startedAt),
      isNow: endedAt === null,
    });
    if (isHandedOver) handOver({ how, from: attempt, to: next }, until);
    idleFrom = Math.max(idleFrom, until);
  }
  const isRunning = attempts.some(({ endedAt }) => endedAt === null);
  if (!isRunning) wait(end, finishedAt === null);
  return { steps, totalMs: end - submittedAt };
}

/** How the job left the attempt's device while it went on; null if it did not. */
function howOf({ status }: Attempt): Exclude<HandOver["how"], "second"> | null {
  switch (status) {
    case "stolen":
    case "released":
    case "lost":
    case "failed":
      return status;
    default:
      return null;
  }
}
