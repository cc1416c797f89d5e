import type { Answer } from "../farm/ask.ts";
import { type LedgerCheck, ledgerFaults } from "../farm/ledger-faults.ts";
import type { DeviceRow, JobRow } from "../farm/watcher.ts";

/** The output of `npm run demo -- --json`. Money is in micro-credits. */
export type DemoResult = {
  readonly submitted: number;
  readonly succeeded: number;
  readonly lost: number;
  readonly retried: number;
  readonly correct: number;
  readonly graded: number;
  /** Answer tokens per second of busy time. */
  readonly tokensPerSecond: number;
  readonly credits: {
    readonly spentMicro: number;
    readonly earnedMicro: number;
    readonly byDonor: Readonly<Record<string, number>>;
  };
  readonly ledgerSum: number;
};

export type Evidence = {
  readonly answers: readonly Answer[];
  readonly jobs: readonly JobRow[];
  readonly devices: readonly DeviceRow[];
  readonly ledger: LedgerCheck;
  readonly spentMicro: bigint;
};

/** Sums up a run from the requester's answers and the rows that the admin sees. */
export function summarize(evidence: Evidence): DemoResult {
  const answered = evidence.answers.filter((answer) => answer.outcome.kind === "answered");
  const tokens = evidence.jobs.reduce((sum, job) => sum + (job.usage?.completionTokens ?? 0), 0);
  return {
    submitted: evidence.answers.length,
    succeeded: answered.length,
    lost: evidence.answers.length - answered.length,
    retried: evidence.jobs.filter((job) => job.attempts.length > 1).length,
    correct: answered.filter((answer) => isCorrect(answer)).length,
    graded: evidence.answers.length,
    tokensPerSecond: Math.round((tokens * 10_000) / Math.max(1, busyMs(evidence.jobs))) / 10,
    credits: {
      spentMicro: Number(evidence.spentMicro),
      earnedMicro: evidence.devices.reduce((sum, device) => sum + Number(device.earnedMicro), 0),
      byDonor: Object.fromEntries(
        evidence.devices.map((device) => [device.name, Number(device.earnedMicro)]),
      ),
    },
    ledgerSum: Number(evidence.ledger.sum),
  };
}

/** Describes the faults of a run in sentences. */
export function faults(result: DemoResult, { jobs, ledger }: Evidence): readonly string[] {
  const price = jobs.reduce((sum, job) => sum + Number(job.priceMicro ?? 0n), 0);
  const checks: readonly (readonly [boolean, string])[] = [
    [result.lost === 0, `${result.lost} of ${result.submitted} requests were not answered`],
    [
      result.credits.earnedMicro === price,
      `donors earned ${result.credits.earnedMicro}, the jobs cost ${price}`,
    ],
    [
      result.credits.spentMicro === price,
      `the requester paid ${result.credits.spentMicro}, the jobs cost ${price}`,
    ],
    [result.retried >= 1, "no job was retried: the killed donor held none"],
    [
      jobs.length === result.submitted,
      `${jobs.length} jobs are on record, ${result.submitted} were submitted`,
    ],
  ];
  return [...checks.filter(([ok]) => !ok).map(([, fault]) => fault), ...ledgerFaults(ledger)];
}

export function isCorrect(answer: Answer): boolean {
  return answer.outcome.kind === "answered" && answer.prompt.grade(answer.outcome.text);
}

function busyMs(jobs: readonly JobRow[]): number {
  return jobs
    .flatMap((job) => job.attempts)
    .filter((attempt) => attempt.status === "succeeded" && attempt.endedAt !== null)
    .reduce((sum, attempt) => sum + ((attempt.endedAt ?? 0) - attempt.startedAt), 0);
}
