import { idlePauseMs, lateVotesMs } from "../../../app/votes/patience.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { textOf, type TextResult } from "../answerForm.ts";
import { endOfJob, type JobEnd } from "../follow.ts";
import type { RequestedJob } from "../requestedJob.ts";

/** A job that has answered. */
export type Ballot = {
  readonly job: RequestedJob;
  readonly result: TextResult;
  readonly view: Extract<JobEnd, { readonly kind: "answered" }>["view"];
};

/** `first`: the end of the first job; null if the wait was over before. `unanswered`: further jobs without an answer. */
export type Collected = {
  readonly ballots: readonly Ballot[];
  readonly first: JobEnd | null;
  readonly unanswered: readonly RequestedJob[];
};

type Vote = {
  readonly votes: number;
  /** Asks an idle device for one more answer, with a number from 1. Null: no device is idle. */
  readonly askIdle: (index: number) => Promise<RequestedJob | null>;
  /** Aborts when the client has left or the server stops. */
  readonly signal: AbortSignal;
};

/**
 * Collects the votes of a call. Its first job is submitted already. As soon as that one has a device, idle devices are asked for the
 * other answers. Once an answer is there, the others have a short time left.
 */
export async function collectVotes(
  ctx: ActionCtx,
  main: RequestedJob,
  { votes, askIdle, signal }: Vote,
): Promise<Collected> {
  const begun = Date.now();
  const over = new AbortController();
  const stop = (): void => over.abort();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ends = new Map<RequestedJob, JobEnd | null>();
  const follow = async (job: RequestedJob, hasDevice?: () => void): Promise<void> => {
    const seen = ({ attemptId }: { readonly attemptId: string | null }): void => {
      if (attemptId !== null) hasDevice?.();
    };
    const end = await endOfJob(ctx, job, over.signal, seen);
    ends.set(job, end);
    const isNews = end?.kind === "answered" || job === main;
    if (isNews) timer ??= setTimeout(stop, lateVotesMs(Date.now() - begun));
  };

  const others: RequestedJob[] = [];
  let hasDevice = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    hasDevice = resolve;
  });
  const mainEnds = follow(main, hasDevice).finally(hasDevice);
  const askOthers = async (): Promise<void> => {
    await started;
    const followed: Promise<void>[] = [];
    let pauseMs: number = idlePauseMs.first;
    while (others.length + 1 < votes && !over.signal.aborted && ends.get(main)?.kind !== "failed") {
      const job = await askIdle(others.length + 1);
      if (job !== null) {
        others.push(job);
        followed.push(follow(job));
      } else if (ends.has(main)) break;
      else {
        await Promise.race([mainEnds, sleep(pauseMs)]);
        pauseMs = Math.min(2 * pauseMs, idlePauseMs.most);
      }
    }
    await Promise.all(followed);
  };
  try {
    await Promise.all([mainEnds, askOthers()]);
  } finally {
    clearTimeout(timer);
    stop();
    signal.removeEventListener("abort", stop);
  }
  const jobs = [main, ...others];
  const ballots = jobs.flatMap((job): Ballot[] => {
    const end = ends.get(job);
    return end?.kind === "answered" ? [{ job, result: textOf(end.result), view: end.view }] : [];
  });
  const unanswered = others.filter((job) => ends.get(job)?.kind !== "answered");
  return { ballots, first: ends.get(main) ?? null, unanswered };
}

async function sleep(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms));
}
