/** The device hours that a request of a batch is expected to take: a log-normal estimate. */
export type RequestWork = {
  /** The median. */
  readonly hours: number;
  /** The standard deviation of its logarithm. */
  readonly spread: number;
};

/** The spread of an estimate from other requests of the same model: those of a batch may be longer or shorter. */
const spreadBefore = 0.5;
/** The spread of the times of single requests, as a share of their mean. */
const spreadOfOne = 1;
/** The later requests of a file may differ from the earlier ones. */
const spreadOfRest = 0.1;

/** The work that jobs of a model took until now. */
export type ModelRecord = {
  readonly answered: number;
  /** The sum of their running times, ms. */
  readonly runMs: number;
  /** Attempts that were interrupted, and whose work was lost. */
  readonly interrupted: number;
};

/** Fewer answers say too little about a model. */
const leastAnswered = 20;

/**
 * The work of a request before the batch has answers: from other jobs of its model. Null: too few are known.
 * @param jobsAtOnce the jobs that a device runs at once.
 */
export function workBefore(record: ModelRecord | null, jobsAtOnce: number): RequestWork | null {
  if (record === null || record.answered < leastAnswered || record.runMs <= 0) return null;
  const { answered, runMs, interrupted } = record;
  // An interrupted attempt loses half of its work in the mean.
  const attempts = answered + interrupted / 2;
  const hours = ((runMs / answered / 3_600_000) * (attempts / answered)) / jobsAtOnce;
  return { hours, spread: spreadBefore };
}

/** The work of a request as the batch itself has shown it. Null: it has no answers yet. */
export function workShown(answered: number, deviceHours: number): RequestWork | null {
  if (answered === 0 || deviceHours <= 0) return null;
  return {
    hours: deviceHours / answered,
    spread: Math.hypot(spreadOfOne / Math.sqrt(answered), spreadOfRest),
  };
}

/** Two independent estimates as one. The more certain one counts more. */
export function combined(one: RequestWork | null, other: RequestWork | null): RequestWork | null {
  if (one === null || other === null) return one ?? other;
  const [a, b] = [one.spread ** -2, other.spread ** -2];
  const log = (a * Math.log(one.hours) + b * Math.log(other.hours)) / (a + b);
  return { hours: Math.exp(log), spread: (a + b) ** -0.5 };
}
