import { parseExpression } from "cron-parser";
import type { Schedule } from "../../../shared/validators.ts";
import { boundedInteger, boundedName } from "../bounds.ts";
import { refuse } from "../refuse.ts";

type Cron = Extract<Schedule, { kind: "cron" }>;

const minIntervalMs = 10_000;
const maxIntervalMs = 366 * 24 * 3_600_000;

/** Checks a schedule. Refuses: invalid, with the reason. `now`: ms epoch. */
export function checkSchedule(schedule: Schedule, now: number): void {
  if (schedule.kind === "interval") {
    boundedInteger(schedule.everyMs, "schedule.everyMs", minIntervalMs, maxIntervalMs);
    return;
  }
  const { expression, timeZone } = schedule;
  boundedName(expression, "schedule.expression");
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    refuse("invalid", `"${timeZone}" is not a time zone. Use an IANA name, such as Europe/Berlin.`);
  }
  // The parser would fill in missing fields, and take a sixth field for seconds.
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5) wrong(expression, `it has ${String(fields)}`);
  try {
    nextByCron(schedule, now);
  } catch (error) {
    wrong(expression, error instanceof Error ? error.message : String(error));
  }
}

/**
 * The next due time; ms epoch.
 * @param due the last due time. An interval keeps its phase. Runs missed until `now` are skipped.
 */
export function nextRunAt(schedule: Schedule, { due, now }: { due: number; now: number }): number {
  if (schedule.kind === "cron") return nextByCron(schedule, now);
  const steps = Math.floor((now - due) / schedule.everyMs) + 1;
  return due + Math.max(1, steps) * schedule.everyMs;
}

export function timeZoneOf({ timeZone }: Cron): string {
  return timeZone ?? "UTC";
}

/** Uses the crons component's parser, so that the displayed time is correct. */
function nextByCron(schedule: Cron, now: number): number {
  const options = { currentDate: new Date(now), tz: timeZoneOf(schedule) };
  return parseExpression(schedule.expression, options).next().getTime();
}

function wrong(expression: string, why: string): never {
  refuse(
    "invalid",
    `"${expression}" is not a cron expression of five fields (minute, hour, day, month, day of week): ${why}.`,
  );
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
