import { idlePauseMs, lateVotesMs } from "../../../app/votes/patience.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequestView } from "../../model/requests/watch.ts";
import { textOf, type TextResult } from "../answerForm.ts";
import { errorOf } from "../errors.ts";
import { endOfJob, type JobEnd } from "../follow.ts";
import { logBug, outcomeOf } from "../outcome.ts";
import { abandon, type RequestedJob } from "../requestedJob.ts";
import { abortsWith } from "../wait/abortsWith.ts";
import type { CallWait } from "../wait/callWait.ts";
import { sleep } from "../wait/sleep.ts";

/** A job that has answered. */
export type Ballot = {
  readonly job: RequestedJob;
  readonly result: TextResult;
  readonly view: RequestView;
};

/** The votes in the order of their jobs. `first`: the end of the first job; null if the wait was over before. */
export type Collected = { readonly ballots: readonly Ballot[]; readonly first: JobEnd | null };

type Vote = {
  readonly votes: number;
  /** Asks an idle device for one more answer, with a number from 1. Null: no device is idle. A repeated call only finds that job. */
  readonly askIdle: (index: number) => Promise<RequestedJob | null>;
  /** Aborts when the client has left or the server stops. */
  readonly signal: AbortSignal;
};

/**
 * Collects the votes of a call. Its first job is submitted already. As soon as that one has a device, idle devices are asked for the
 * other answers. Once an answer is there, the others have a short time left. Then they are canceled. They stay if a repeat of the
 * call may find them, because it ends without an answer. A call that is a repeat itself leaves them to the first one.
 */
export async function collectVotes(
  ctx: ActionCtx,
  main: RequestedJob,
  vote: Vote,
  wait: CallWait,
): Promise<Collected> {
  const begun = Date.now();
  const over = stopper(vote.signal);
  const ends = new Map<RequestedJob, JobEnd | null>();
  /** Never rejects. */
  const follow = async (job: RequestedJob, seen?: (view: RequestView) => void): Promise<void> => {
    const end = await endOfVote(ctx, job, over.signal, wait, seen);
    ends.set(job, end);
    if (end?.kind === "answered" || job === main) over.stopWithin(lateVotesMs(Date.now() - begun));
  };

  let begin = (): void => undefined;
  const hasDevice = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const mainEnds = follow(main, ({ attemptId }) => {
    if (attemptId !== null) begin();
  }).then(begin);
  const others: RequestedJob[] = [];
  const followed: Promise<void>[] = [];
  await hasDevice;
  let pauseMs: number = idlePauseMs.first;
  const isVain = (): boolean => !main.repeated && ends.get(main)?.kind === "failed";
  while (others.length + 1 < vote.votes && !over.signal.aborted && !isVain()) {
    const job = await askedJob(vote.askIdle(others.length + 1));
    if (job !== null) {
      others.push(job);
      followed.push(follow(job));
    } else if (ends.has(main)) break;
    else {
      await Promise.race([mainEnds, sleep(pauseMs)]);
      pauseMs = Math.min(2 * pauseMs, idlePauseMs.most);
    }
  }
  await Promise.all([mainEnds, ...followed]);
  over.stop();
  const ballots = [main, ...others].flatMap((job): Ballot[] => {
    const end = ends.get(job);
    return end?.kind === "answered" ? [{ job, result: textOf(end.result), view: end.view }] : [];
  });
  const first = ends.get(main) ?? null;
  const isGivenUp = vote.signal.aborted || (ballots.length === 0 && first === null);
  const isFound = main.kept || main.request !== null;
  if (main.repeated || (isGivenUp && isFound)) return { ballots, first };
  const unanswered = others.filter((job) => ends.get(job)?.kind !== "answered");
  await Promise.all(unanswered.map(async (job) => await cancel(ctx, job)));
  return { ballots, first };
}

/** `endOfJob`, but never rejects: if the job cannot be followed, it has failed. */
export async function endOfVote(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal,
  wait: CallWait,
  seen?: (view: RequestView) => void,
): Promise<JobEnd | null> {
  const end = await outcomeOf(endOfJob(ctx, job, signal, { seen, callWait: wait }));
  return end.kind === "ok" ? end.value : { kind: "failed", error: errorOf(end, job.promptField) };
}

/** Cancels a job whose answer is not waited for any more, also if an idempotency key could find it. */
export async function cancel(ctx: ActionCtx, job: RequestedJob): Promise<void> {
  await abandon(ctx, { ...job, kept: false, request: null });
}

/** A signal that aborts with another one, at once, or after a time. The first time counts. */
export function stopper(outer: AbortSignal) {
  const controller = abortsWith(outer);
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  return {
    signal,
    stop: () => controller.abort(),
    stopWithin(ms: number): void {
      if (!signal.aborted) timer ??= setTimeout(() => controller.abort(), ms);
    },
    /** Forgets the time. */
    goOn(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Waits for a further job of a call. Null: there is none. It never rejects, since the call can go on without one. */
export async function askedJob(asking: Promise<RequestedJob | null>): Promise<RequestedJob | null> {
  const asked = await outcomeOf(asking);
  if (asked.kind === "failed") logBug("no further job of a vote could be asked for", asked.thrown);
  return asked.kind === "ok" ? asked.value : null;
}
