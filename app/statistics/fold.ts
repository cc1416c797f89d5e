import { energySumOf } from "../energy/energy-sum.ts";
import type { JobEnergy } from "../energy/job-energy.ts";
import type { Usage } from "../jobs/chat.ts";
import type { AttemptStatus, FinalStatus } from "../jobs/states.ts";
import { sketchOf } from "./sketch.ts";
import {
  type Counter,
  emptyTally,
  mergeSubjects,
  noSubject,
  type SubjectKind,
  subjectKinds,
  type SubjectTally,
  type Tally,
} from "./tally.ts";

export type EndedAttempt = {
  /** Null if the device's record is gone. */
  readonly device: string | null;
  /** The device's groups; see `groupLabel`. */
  readonly group: string;
  readonly status: AttemptStatus;
  /** Whether the device took the job from beyond its part of the queue, or from another device's reserve. */
  readonly isSteal: boolean;
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
};

/** A job that ended, with its attempts in that round. */
export type EndedJob = {
  readonly model: string;
  readonly key: string;
  /** Of the key. Null: the organization. */
  readonly owner: { readonly kind: "member" | "team"; readonly id: string } | null;
  /** Null if the job's record is gone. */
  readonly lane: string | null;
  readonly outcome: FinalStatus;
  /** ms epoch. A retried job keeps the time of its first round. */
  readonly submittedAt: number;
  /** From submission to the first start; null if it never started, and in later rounds. */
  readonly waitMs: number | null;
  readonly usage: Usage | null;
  readonly micro: bigint;
  /** Null if its device did not tell it. */
  readonly energy: JobEnergy | null;
  readonly attempts: readonly EndedAttempt[];
  /** The ledger's pay for the job: to the device that answered it, and to one that was outrun. */
  readonly earnings: readonly Earning[];
};

export type Earning = { readonly device: string; readonly group: string; readonly micro: bigint };

/** One name for all groups of a device, so that each device is counted under one name only. */
export function groupLabel(groups: readonly string[]): string {
  return groups.length === 0 ? noSubject : [...groups].sort().join(", ");
}

export type Folded = Readonly<Record<SubjectKind, SubjectTally[]>>;

/** Tallies jobs that ended, by each kind of subject. */
export function foldJobs(jobs: readonly EndedJob[]): Folded {
  const of = (kind: SubjectKind): SubjectTally[] => mergeSubjects(jobs.map((job) => tallied(kind, job)));
  return Object.fromEntries(subjectKinds.map((kind) => [kind, of(kind)])) as Folded;
}

/** Tallies every subject of a kind, however many there are. */
export function tallyEach(kind: SubjectKind, jobs: readonly EndedJob[]): SubjectTally[] {
  return mergeSubjects(
    jobs.map((job) => tallied(kind, job)),
    new Set(),
    Infinity,
  );
}

/** The name of the one subject that stands for all jobs. */
export const everything = "all";

function tallied(kind: SubjectKind, job: EndedJob): SubjectTally[] {
  switch (kind) {
    case "all":
      return [{ subject: everything, tally: tallyOfJob(job) }];
    case "model":
      return [{ subject: job.model, tally: tallyOfJob(job) }];
    case "key":
      return [{ subject: job.key, tally: tallyOfJob(job) }];
    case "lane":
      return job.lane === null ? [] : [{ subject: job.lane, tally: tallyOfJob(job) }];
    case "member":
    case "team":
      return [{ subject: ownerOf(job, kind), tally: tallyOfJob(job) }];
    case "device":
    case "group":
      return [
        ...job.attempts.flatMap((attempt) => {
          const subject = attempt[kind];
          return attempt.device === null || subject === null
            ? []
            : [{ subject, tally: tallyOfAttempt(job, attempt) }];
        }),
        ...job.earnings.map((earning) => ({
          subject: earning[kind],
          tally: { ...emptyTally(), micro: earning.micro },
        })),
      ];
  }
}

function ownerOf({ owner }: EndedJob, kind: "member" | "team"): string {
  return owner?.kind === kind ? owner.id : noSubject;
}

function tallyOfJob(job: EndedJob): Tally {
  const winner = job.attempts.find(({ status }) => status === "succeeded");
  const tally: Tally = {
    ...emptyTally(),
    ...tokensOf(job),
    micro: job.micro,
    wait: waitOf(job),
    run: runOf(winner),
    ...energyOf(job, winner),
  };
  tally[job.outcome] += 1;
  for (const attempt of job.attempts) {
    const counter = counterOf(attempt);
    if (counter === "failed") tally.retried += 1;
    if (counter === "returned" || counter === "lost") tally[counter] += 1;
    if (attempt.isSteal) tally.stolen += 1;
  }
  // The last failure ended the job.
  if (job.outcome === "failed" && job.attempts.at(-1)?.status === "failed") tally.retried -= 1;
  return tally;
}

/** The device that answered a job has its wait and its tokens. Its pay is counted apart. */
function tallyOfAttempt(job: EndedJob, attempt: EndedAttempt): Tally {
  const won = attempt.status === "succeeded";
  const tally: Tally = won
    ? { ...emptyTally(), ...tokensOf(job), wait: waitOf(job), run: runOf(attempt), ...energyOf(job, attempt) }
    : emptyTally();
  const counter = counterOf(attempt);
  if (counter !== null) tally[counter] += 1;
  if (attempt.isSteal) tally.stolen += 1;
  return tally;
}

function tokensOf({ usage }: EndedJob): Pick<Tally, "promptTokens" | "completionTokens"> {
  const { promptTokens = 0, completionTokens = 0 } = usage ?? {};
  return { promptTokens, completionTokens };
}

function energyOf({ energy }: EndedJob, winner: EndedAttempt | undefined): Pick<Tally, "energy"> {
  const sum = energySumOf(energy, runOf(winner).sum, winner?.endedAt ?? null);
  return sum === undefined ? {} : { energy: sum };
}

const waitOf = ({ waitMs }: EndedJob): Tally["wait"] => sketchOf(waitMs === null ? [] : [waitMs]);

function runOf(attempt: EndedAttempt | undefined): Tally["run"] {
  return sketchOf(
    attempt === undefined || attempt.endedAt === null ? [] : [attempt.endedAt - attempt.startedAt],
  );
}

/** The counter of an attempt's end; null while it is open. */
function counterOf({ status }: EndedAttempt): Counter | null {
  switch (status) {
    case "succeeded":
    case "failed":
    case "lost":
    case "canceled":
    case "expired":
      return status;
    case "released":
    case "outrun":
    case "stolen":
      return "returned";
    case "prefetched":
    case "running":
      return null;
  }
}
