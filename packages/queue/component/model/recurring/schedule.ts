import { parseExpression } from "cron-parser";
import type { Schedule } from "../../validators.ts";
import { boundedInteger, boundedName } from "../bounds.ts";
import { refuse } from "../refuse.ts";

type Cron = Extract<Schedule, { kind: "cron" }>;

const minIntervalMs = 10_000;
const maxIntervalMs = 366 * 24 * 3_600_000;

/** Refuses a schedule that is none, and says what is wrong with it. `now`: ms epoch. */
export function checkSchedule(schedule: Schedule, now: number): void {
  if (schedule.kind === "interval") {
    boundedInteger(schedule.everyMs, "schedule.everyMs", minIntervalMs, maxIntervalMs);
    return;
  }
  const { expression, timeZone } = schedule;
  boundedName(expression, "schedule.expression");
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    refuse("invalid", `There is no time zone "${timeZone}": give an IANA name, such as Europe/Berlin.`);
  }
  // The parser would fill in what is missing, and take a field for seconds.
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5) wrong(expression, `it has ${String(fields)}`);
  try {
    nextByCron(schedule, now);
  } catch (error) {
    wrong(expression, error instanceof Error ? error.message : String(error));
  }
}

/**
 * When it fires next, ms epoch.
 * @param due when it last should have; an interval keeps its step. What was missed until `now` is not made up for.
 */
export function nextRunAt(schedule: Schedule, { due, now }: { due: number; now: number }): number {
  if (schedule.kind === "cron") return nextByCron(schedule, now);
  const steps = Math.floor((now - due) / schedule.everyMs) + 1;
  return due + Math.max(1, steps) * schedule.everyMs;
}

export function timeZoneOf({ timeZone }: Cron): string {
  return timeZone ?? "UTC";
}

/** By the crons component's own parser, so that what is shown is when it fires. */
function nextByCron(schedule: Cron, now: number): number {
  const options = { currentDate: new Date(now), tz: timeZoneOf(schedule) };
  return parseExpression(schedule.expression, options).next().getTime();
}

function wrong(expression: string, why: string): never {
  refuse(
    "invalid",
    `"${expression}" is no cron expression of five fields (minute, hour, day, month, day of week): ${why}.`,
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
