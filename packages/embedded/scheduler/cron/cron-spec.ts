import type { JSONValue } from "convex/values";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";

export const daysOfWeek = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

/**
 * A cron job's schedule, as the convex package exports it. All times are UTC. If the minute is missing, the
 * backend picks it.
 */
export type CronSchedule =
  | {
      readonly type: "interval";
      readonly seconds?: number;
      readonly minutes?: number;
      readonly hours?: number;
    }
  | { readonly type: "hourly"; readonly minuteUTC?: number }
  | { readonly type: "daily"; readonly hourUTC: number; readonly minuteUTC?: number }
  | {
      readonly type: "weekly";
      readonly dayOfWeek: (typeof daysOfWeek)[number];
      readonly hourUTC: number;
      readonly minuteUTC?: number;
    }
  | { readonly type: "monthly"; readonly day: number; readonly hourUTC: number; readonly minuteUTC?: number }
  | { readonly type: "cron"; readonly cron: string };

/** One job of the bundle's `crons.ts`. */
export type CronSpec = {
  readonly identifier: string;
  /** The component that owns the job; absent for the app. */
  readonly component?: ComponentPath;
  /** "module:name". */
  readonly function: string;
  readonly args: JSONValue;
  readonly schedule: CronSchedule;
};

type ExportedCron = {
  readonly name: string;
  readonly args: readonly JSONValue[];
  readonly schedule: CronSchedule;
};

/** Reads a component's jobs from the JSON that a Crons object's `export()` gives. */
export function parseCrons(exported: string, component: ComponentPath): readonly CronSpec[] {
  const crons = JSON.parse(exported) as { readonly [identifier: string]: ExportedCron };
  return Object.entries(crons).map(([identifier, { name, args, schedule }]) => ({
    identifier,
    ...(component === appComponent ? {} : { component }),
    function: name,
    args: args[0] ?? {},
    schedule,
  }));
}
