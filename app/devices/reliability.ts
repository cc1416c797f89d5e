/** How one of a device's attempts ended, as far as it tells about the device. */
export type PastAttempt = {
  /** `returned`: given back before anything was done with it. */
  readonly end: "succeeded" | "failed" | "lost" | "returned";
  /** Of a failure: the code of its error. */
  readonly code: string;
  /** ms epoch. */
  readonly endedAt: number;
};

/** Why a device is paused, in numbers: `failed` of its last `of` jobs, mostly for one cause. */
export type Unreliability = { readonly failed: number; readonly of: number; readonly cause: FailureCause };

/** The most frequent kind of failure of a paused device. */
export const failureCauses = {
  answers: "most of its answers did not fit the requests",
  hung: "most of them did not end in time",
  lost: "its connection was lost during most of them",
  returned: "it gave most of them back at once",
  errors: "other devices did not fail at them",
} as const;
export type FailureCause = keyof typeof failureCauses;

export const reliability = {
  /** The last attempts that count. */
  attempts: 20,
  /** A device is paused after so many incidents, if they are at least half of what it did. */
  incidents: 5,
  /** Failures with one code in so short a time have one cause, such as a crash that ended several jobs. */
  sameIncidentMs: 2_000,
  /** A laptop that is closed loses its jobs, so that counts half. */
  lostWeight: 0.5,
  /** A device with so many failures and no success is paused, even if they were one incident. */
  hopeless: 16,
  /** A job that is given back so soon was not worked on, in ms. */
  returnedWithinMs: 5_000,
  /** A device that gives back so many jobs at once is paused. A person comes back less often in that time, in ms. */
  returns: 16,
  returnsCountForMs: 3_600_000,
  /** Older attempts do not count. */
  withinMs: 7 * 24 * 3_600_000,
} as const;

/** Whether a device fails too often, and how; null if not. @param past its last attempts that count, newest first. */
export function unreliabilityOf(past: readonly PastAttempt[]): Unreliability | null {
  const all = past.slice(0, reliability.attempts);
  const recent = all.filter(({ end }) => end !== "returned");
  const bad = recent.filter(({ end }) => end !== "succeeded");
  const succeeded = recent.length - bad.length;
  const failures = bad.filter(({ end }) => end === "failed");
  const weight =
    incidentsIn(failures) + reliability.lostWeight * incidentsIn(bad.filter(({ end }) => end === "lost"));
  if (weight >= reliability.incidents && weight >= succeeded) {
    return { failed: bad.length, of: recent.length, cause: causeOf(bad) };
  }
  // Jobs that are given back in one moment are one: a person came back.
  const returns = new Set(all.filter(({ end }) => end === "returned").map(({ endedAt }) => endedAt)).size;
  if (returns >= reliability.returns) return { failed: returns, of: all.length, cause: "returned" };
  const isHopeless = succeeded === 0 && failures.length >= reliability.hopeless;
  return isHopeless ? { failed: bad.length, of: recent.length, cause: causeOf(bad) } : null;
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
  return `${String(failed)} of its last ${String(of)} jobs failed: ${failureCauses[cause]}.`;
}
