/** The priorities of jobs, lowest first. */
export const priorities = ["low", "normal", "high"] as const;

export type JobPriority = (typeof priorities)[number];

/** Whether a priority is above another. */
export function isAbove(one: JobPriority, other: JobPriority): boolean {
  return priorities.indexOf(one) > priorities.indexOf(other);
}

/** Any key may ask for any priority until an admin sets another limit. */
const usualHighest: JobPriority = "high";

/** The highest priority that a key may ask for. */
export function highestOf({
  highestPriority = usualHighest,
}: {
  highestPriority?: JobPriority;
}): JobPriority {
  return highestPriority;
}

/** The price of a job in percent of the models' prices, by the highest priority that the job has had. */
export type PriorityPrices = Readonly<Record<JobPriority, number>>;

/** Prices that differ by nothing. */
export const equalPrices: PriorityPrices = { low: 100, normal: 100, high: 100 };

/** Percent. Never 0, because a device earns by every job. */
export const priorityPriceLimits = { least: 10, most: 1_000 } as const;

/**
 * Why prices are no prices of priorities; null if they are. A higher priority never costs less: a raise could then lower the
 * price of a job.
 */
export function priorityPricesMistake({ low, normal, high }: PriorityPrices): string | null {
  const { least, most } = priorityPriceLimits;
  const isWrong = [low, normal, high].some(
    (percent) => !Number.isInteger(percent) || percent < least || percent > most,
  );
  if (isWrong) return `A price must be a whole number from ${String(least)} to ${String(most)} percent.`;
  return low > normal || normal > high ? "A higher priority must not cost less than a lower one." : null;
}
