/** The device hours that a request of a batch is expected to take: a log-normal estimate. */
export type RequestWork = {
  /** The median. */
  readonly hours: number;
  /** The standard deviation of its logarithm. */
  readonly spread: number;
};

/** The spread of an estimate from other requests of the same model, as long as no batch has shown it: its own may be longer or shorter. */
const usualSpread = 0.5;
/** It counts as much as the errors of so many batches. */
const usualCounts = 5;
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
 * @param jobsAtOnce the jobs that a device runs at once. @param errors of earlier batches, as `workError` tells them.
 */
export function workBefore(
  record: ModelRecord | null,
  jobsAtOnce: number,
  errors: readonly number[],
): RequestWork | null {
  if (record === null || record.answered < leastAnswered || record.runMs <= 0) return null;
  const { answered, runMs, interrupted } = record;
  // An interrupted attempt loses half of its work in the mean.
  const attempts = answered + interrupted / 2;
  const hours = ((runMs / answered / 3_600_000) * (attempts / answered)) / jobsAtOnce;
  return { hours, spread: spreadOf(errors) };
}

/** The spread that errors of estimates have had, together with the usual one. */
function spreadOf(errors: readonly number[]): number {
  const squares = errors.reduce((sum, error) => sum + error ** 2, usualCounts * usualSpread ** 2);
  return Math.sqrt(squares / (usualCounts + errors.length));
}

/** By how much more work a request has been than was expected before its batch began, as a logarithm. Null: too few have told. */
export function workError(expectedHours: number, shown: RequestWork | null, answered: number): number | null {
  if (shown === null || answered < leastAnswered || expectedHours <= 0) return null;
  return Math.log(shown.hours / expectedHours);
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
