import type { Farm } from "../launch/farm/farm.ts";
import { ledgerFaults } from "../launch/farm/ledger-faults.ts";
import type { Watcher } from "../launch/farm/watcher.ts";
import type { Load } from "./load.ts";

export type Verdict = {
  readonly sent: number;
  readonly answered: number;
  readonly resent: number;
  readonly jobs: number;
  readonly retried: number;
  readonly ledgerSum: number;
  readonly faults: readonly string[];
};

/** Compares the requesters' results with the backend's records. */
export async function verdict(farm: Farm, watcher: Watcher, load: Load): Promise<Verdict> {
  const jobs = await watcher.jobs(load.sent + 1);
  const check = await farm.setup.ledgerCheck();
  const twice = jobs.filter(
    (job) => job.attempts.filter((attempt) => attempt.status === "succeeded").length !== 1,
  );
  const checks: readonly (readonly [boolean, string])[] = [
    [load.errors.length === 0, `requests failed: ${[...new Set(load.errors)].join("; ")}`],
    [load.answered === load.sent, `${load.sent - load.answered} of ${load.sent} requests were not answered`],
    [jobs.length === load.sent, `${load.sent} requests made ${jobs.length} jobs`],
    [twice.length === 0, `${twice.length} jobs did not succeed exactly once`],
  ];
  return {
    sent: load.sent,
    answered: load.answered,
    resent: load.resent,
    jobs: jobs.length,
    retried: jobs.filter((job) => job.attempts.length > 1).length,
    ledgerSum: Number(check.sum),
    faults: [...checks.filter(([ok]) => !ok).map(([, fault]) => fault), ...ledgerFaults(check)],
  };
}
