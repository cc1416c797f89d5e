import type { DocumentJson } from "../../engine/model/types.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import type { CronSpec } from "./cron-spec.ts";

/** The stored state of a cron job between runs. */
export type CronJob = {
  readonly id: string;
  readonly spec: CronSpec;
  /** Next due time, in ms since the epoch. */
  readonly nextTime: number;
  /** Row of its last run in `_cron_runs`; older releases wrote it to `_scheduled_functions`. */
  readonly lastRun: string | null;
};

/** `_cron_jobs`: one row for each job of the bundle's `crons.ts`. Only `Crons` writes it. */
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
