/** How one of a device's attempts ended, as far as it tells about the device. */
export type PastAttempt = {
  /** `returned`: given back unfinished, never started, or so slow that another device did the job. */
  readonly end: "succeeded" | "failed" | "lost" | "returned";
  /** Of a failure: the code of its error. Of a job that another device did in its place: `slow`. */
  readonly code: string;
  /** ms epoch. */
  readonly endedAt: number;
  /** Of a failure: the API key of the request. */
  readonly key?: string;
  readonly evidence?: Evidence;
  /** Of a returned job: the device took no other job for some seconds, as if a person had come back. */
  readonly rested?: boolean;
};

/**
 * The side that a failure speaks against:
 * - device: another device did the job, or can still do it.
 * - answer: only a check of the answer shows a failure. The request may have caused it.
 * - job: another device failed at it, too.
 * - none: the job ended before anybody else tried it.
 */
export type Evidence = "device" | "answer" | "job" | "none";

/** Why a device is paused, in numbers: `failed` of its last `of` jobs, mostly for one cause. */
export type Unreliability = { readonly failed: number; readonly of: number; readonly cause: FailureCause };

/** The most frequent kind of failure of a paused device. */
export const failureCauses = {
  answers: "most of its answers did not fit the requests",
  hung: "most of them did not end in time",
  lost: "its connection was lost during most of them",
  returned: "it gave most of them back",
  slow: "it took so long that other devices did most of them",
  errors: "other devices did not fail at them",
  wrong: "other devices found that its answers are not of the model that it names",
  overclaimed: "other devices counted far fewer tokens than it reported",
} as const;
export type FailureCause = keyof typeof failureCauses;

/** Whether checks of answers found it. Only an administrator resumes such a device. */
export function isFromChecks(cause: FailureCause): boolean {
  return cause === "wrong" || cause === "overclaimed";
}

export const reliability = {
  /** The last attempts that count. */
  attempts: 20,
  /** The number of incidents after which a device is paused, if they are at least half of what it did. */
  incidents: 5,
  /** Failures with one code in so short a time have one cause, such as a crash that ended several jobs. */
  sameIncidentMs: 2_000,
  /** A laptop that is closed loses its jobs, so that counts half. */
  lostWeight: 0.5,
  /** The number of failures after which a device without a success is paused, even if they were one incident. */
  hopeless: 16,
  /** A key's failures do not count if other devices failed at a fourth of its jobs at which this device failed. */
  hardJobs: 1 / 3,
  /**
   * A device rests after a person came back: at least ten seconds by the rules for input (`idleAfterSeconds`), of which a slow
   * connection may hide some. A device that returns a job and takes another at once had no person, at whatever rate.
   */
  restMs: 5_000,
  /** A device is paused if it returned this number of its last attempts without a rest. */
  returns: 16,
  /** The most jobs returned in one moment that count. A restart or a crash returns all that the device held. */
  returnsPerMoment: 4,
  /**
   * A person who comes and goes all day ends some tries, and the device finishes jobs between. If it has this number of
   * returns, and less than a tenth as many answers, it is never free for long enough, or does not want to be.
   */
  restedReturns: 40,
  answersPerReturn: 0.1,
  /** Older attempts do not count. */
  withinMs: 7 * 24 * 3_600_000,
} as const;

/** Whether a device fails too often, and how; null if not. @param past its last attempts that count, newest first. */
export function unreliabilityOf(past: readonly PastAttempt[]): Unreliability | null {
  const counted = countedOf(past);
  return failing(counted) ?? returning(counted);
}

function failing(counted: readonly PastAttempt[]): Unreliability | null {
  const recent = counted.filter(({ end }) => end !== "returned").slice(0, reliability.attempts);
  const bad = recent.filter(({ end }) => end !== "succeeded");
  const succeeded = recent.length - bad.length;
  const failures = bad.filter(({ end }) => end === "failed");
  const weight =
    incidentsIn(failures) + reliability.lostWeight * incidentsIn(bad.filter(({ end }) => end === "lost"));
  const isBad = weight >= reliability.incidents && weight >= succeeded;
  const isHopeless = succeeded === 0 && failures.length >= reliability.hopeless;
  return isBad || isHopeless ? { failed: bad.length, of: recent.length, cause: causeOf(bad) } : null;
}

function returning(counted: readonly PastAttempt[]): Unreliability | null {
  const each = fewPerMoment(counted, reliability.returnsPerMoment);
  const recent = each.filter(({ rested }) => rested !== true).slice(0, reliability.attempts);
  const unrested = recent.filter(({ end }) => end === "returned").length;
  if (unrested >= reliability.returns)
    return { failed: unrested, of: recent.length, cause: causeOfReturns(recent) };
  const moments = fewPerMoment(counted, 1);
  const returns = moments.filter(({ end }) => end === "returned").length;
  const succeeded = moments.filter(({ end }) => end === "succeeded").length;
  const isNeverDone =
    returns >= reliability.restedReturns && succeeded < returns * reliability.answersPerReturn;
  return isNeverDone ? { failed: returns, of: moments.length, cause: causeOfReturns(moments) } : null;
}

function causeOfReturns(attempts: readonly PastAttempt[]): FailureCause {
  const returned = attempts.filter(({ end }) => end === "returned");
  return returned.filter(({ code }) => code === tooLate).length * 2 > returned.length ? "slow" : "returned";
}

/** Leaves out further jobs that were returned in one moment. */
function fewPerMoment(past: readonly PastAttempt[], most: number): readonly PastAttempt[] {
  const seen = new Map<number, number>();
  return past.filter(({ end, endedAt }) => {
    if (end !== "returned") return true;
    const before = seen.get(endedAt) ?? 0;
    seen.set(endedAt, before + 1);
    return before < most;
  });
}

/** How many of the attempts do not count against the device. */
export function countCleared(past: readonly PastAttempt[]): number {
  return past.length - countedOf(past).length;
}

/**
 * The attempts that count. A requester must not be able to have a device paused:
 * - Answers that failed a check do not count if they are those of one key. So two keys at least have to have them.
 * - A key's jobs at which other devices fail, too, are hard, so the device is not blamed for any of them.
 * - A request that crashes the runner returns the jobs beside it. They do not count if it crashed another device's, too.
 */
function countedOf(past: readonly PastAttempt[]): readonly PastAttempt[] {
  const count = (wanted: Evidence): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const { key = "", evidence } of past)
      if (evidence === wanted) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  };
  const [ofJob, ofDevice, ofAnswer] = [count("job"), count("device"), count("answer")];
  const [accuser] = [...ofAnswer].sort(([, a], [, b]) => b - a).map(([key]) => key);
  const areHard = (key: string): boolean => {
    const shared = ofJob.get(key) ?? 0;
    const own = (ofDevice.get(key) ?? 0) + (ofAnswer.get(key) ?? 0);
    return shared > 0 && shared >= own * reliability.hardJobs;
  };
  const crashes = past.filter(({ code, evidence }) => evidence === "job" && code !== answerRefused);
  const isBesideCrash = (returnedAt: number): boolean =>
    crashes.some(({ endedAt }) => Math.abs(endedAt - returnedAt) <= reliability.sameIncidentMs);
  return past.filter(({ end, endedAt, key = "", evidence = "device" }) => {
    if (end === "returned") return !isBesideCrash(endedAt);
    if (end !== "failed") return true;
    if (evidence === "job" || evidence === "none" || areHard(key)) return false;
    return evidence === "device" || key !== accuser;
  });
}

/** Each wrong answer is an incident. Other failures that come soon after the first of them are one. */
function incidentsIn(bad: readonly PastAttempt[]): number {
  const began = new Map<string, number>();
  let incidents = 0;
  for (const { code, endedAt } of [...bad].sort((a, b) => a.endedAt - b.endedAt)) {
    const isNew = endedAt - (began.get(code) ?? -Infinity) > reliability.sameIncidentMs;
    if (isNew) began.set(code, endedAt);
    if (isNew || code === answerRefused) incidents += 1;
  }
  return incidents;
}

/** The code of a job that another device did, because this one took too long. */
export const tooLate = "slow";

/** The code of an answer that the backend refused. */
export const answerRefused = "answer_refused";

const causeByCode: Readonly<Record<string, FailureCause>> = {
  [answerRefused]: "answers",
  worker_timeout: "hung",
  lost: "lost",
};

function causeOf(bad: readonly PastAttempt[]): FailureCause {
  const counts = new Map<FailureCause, number>();
  for (const { code } of bad) {
    const cause = causeByCode[code] ?? "errors";
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? "errors";
}

/** "9 of its last 10 jobs failed: other devices did not fail at them." */
export function unreliabilityWords({ failed, of, cause }: Unreliability): string {
  if (isFromChecks(cause))
    return `${String(failed)} of the last ${String(of)} checks of its answers failed: ${failureCauses[cause]}.`;
  return cause === "returned" || cause === "slow"
    ? `${String(failed)} of its last ${String(of)} jobs ended without an answer: ${failureCauses[cause]}.`
    : `${String(failed)} of its last ${String(of)} jobs failed: ${failureCauses[cause]}.`;
}
