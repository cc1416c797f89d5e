import type { DocumentJson } from "../../engine/model/types.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import type { CronSpec } from "./cron-spec.ts";

/** What is kept of a cron job between runs. */
export type CronJob = {
  readonly id: string;
  readonly spec: CronSpec;
  /** When it is due next, in ms since the epoch. */
  readonly nextTime: number;
  /** The row of its last run, in `_cron_runs`; where an older release wrote it, in `_scheduled_functions`. */
  readonly lastRun: string | null;
};

/** `_cron_jobs`. Written by the crons alone: one row for each job of the bundle's `crons.ts`. */
export const cronTable: TableDefinition = {
  name: "_cron_jobs",
  indexes: [{ name: "by_next_time", fields: ["nextTime"] }],
};

export function parseCronJob(document: DocumentJson): CronJob {
  return {
    id: document["_id"] as string,
    spec: document["spec"] as CronSpec,
    nextTime: document["nextTime"] as number,
    lastRun: document["lastRun"] as string | null,
  };
}

export function formatCronJob({ spec, nextTime, lastRun }: Omit<CronJob, "id">): DocumentJson {
  return { spec: spec, nextTime, lastRun };
}
