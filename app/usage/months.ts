import { type EnergySum, mergeEnergy } from "../energy/energy-sum.ts";
import { utf8Length } from "../jobs/utf8.ts";
import { mergeModelTokens, type ModelTokens } from "../statistics/model-tokens.ts";
import { endsOf, type Tally } from "../statistics/tally.ts";

/** A day of a key, a member, a team, a device or the organization. Days and months are those of UTC. */
export type DaySum = {
  /** ms epoch. */
  startAt: number;
  /** Jobs that ended, or attempts of a device. */
  jobs: number;
  answered: number;
  promptTokens: number;
  completionTokens: number;
  /** The amount that was spent, or that a device earned; millionths of a credit. */
  micro: bigint;
  /** The time that devices worked on answers; ms. */
  runMs: number;
  /** As in a tally. */
  energy?: EnergySum;
  /** The tokens of each model, the largest first. Only of a device, and not of days before these were counted. */
  models?: ModelTokens[];
};

/** The start of the month that a moment is in. `later`: the number of months to add. */
export function monthOf(at: number, later = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

export function daySumOf(startAt: number, tally: Tally, models?: readonly ModelTokens[]): DaySum {
  const { succeeded: answered, promptTokens, completionTokens, micro, run } = tally;
  const { energy } = tally;
  const sum: DaySum = {
    startAt,
    jobs: endsOf(tally),
    answered,
    promptTokens,
    completionTokens,
    micro,
    runMs: run.sum,
  };
  if (energy !== undefined) sum.energy = energy;
  if (models !== undefined) sum.models = [...models];
  return sum;
}

/** The most models that a stored day of a device tells apart, and the bytes of their names. `mostDevices` of a member's earnings counts on both. */
const mostOfDay = { models: 6, nameBytes: 1_200 } as const;

/** A day as it is stored. Of its models it keeps the largest ones; the day's own sums have the tokens of the others, too. */
export function storedDay(day: DaySum): DaySum {
  if (day.models === undefined) return day;
  let left: number = mostOfDay.nameBytes;
  const models = day.models.slice(0, mostOfDay.models).filter(({ subject }) => {
    left -= utf8Length(subject);
    return left >= 0;
  });
  return { ...day, models };
}

/** The same days of several subjects, each day once, in order. */
export function mergeDays(lists: readonly (readonly DaySum[])[]): DaySum[] {
  const byDay = new Map<number, DaySum[]>();
  for (const day of lists.flat()) byDay.set(day.startAt, [...(byDay.get(day.startAt) ?? []), day]);
  return [...byDay].sort(([a], [b]) => a - b).map(([startAt, days]) => sumOfDays(days, startAt));
}

export function sumOfDays(days: readonly DaySum[], startAt: number): DaySum {
  const sum: DaySum = {
    startAt,
    jobs: 0,
    answered: 0,
    promptTokens: 0,
    completionTokens: 0,
    micro: 0n,
    runMs: 0,
  };
  for (const day of days) {
    sum.jobs += day.jobs;
    sum.answered += day.answered;
    sum.promptTokens += day.promptTokens;
    sum.completionTokens += day.completionTokens;
    sum.micro += day.micro;
    sum.runMs += day.runMs;
  }
  const energy = mergeEnergy(days.map((day) => day.energy));
  if (energy !== undefined) sum.energy = energy;
  const models = days.flatMap((day) => (day.models === undefined ? [] : [day.models]));
  if (models.length > 0) sum.models = mergeModelTokens(models);
  return sum;
}
