import { parseFunctionPath, udfPathOf } from "../../names/function-path.ts";
import { CronExpressionError, parseCronExpression } from "./cron-expression.ts";
import { nextMatch } from "./cron-fields.ts";
import type { CronSpec } from "./cron-spec.ts";

/** The function that a cron job names. */
export type CronTarget = { readonly type: "Query" | "Mutation" | "Action"; readonly identifier: string };

/**
 * Returns Convex's message for a job that it would refuse; otherwise null. The convex package checks the other
 * rules when `crons.ts` defines the job.
 */
export function cronProblem(
  { identifier, function: name, schedule }: CronSpec,
  target: CronTarget | null,
): string | null {
  if (target === null) {
    return `The cron job '${identifier}' schedules a function that does not exist: ${canonical(name)}`;
  }
  if (target.type === "Query") {
    return `The cron job '${identifier}' schedules a query function, only actions and mutations can be scheduled: ${target.identifier}`;
  }
  if (schedule.type !== "cron") return null;
  try {
    const isNever = nextMatch(parseCronExpression(schedule.cron), Date.now()) === null;
    return isNever ? `The cron spec "${schedule.cron}" will never match any time` : null;
  } catch (error) {
    if (!(error instanceof CronExpressionError)) throw error;
    return `In the cron job '${identifier}': ${error.message} "${schedule.cron}"`;
  }
}

function canonical(name: string): string {
  const path = parseFunctionPath(name);
  return path === null ? name : udfPathOf(path);
}
