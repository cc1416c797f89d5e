export type RunnerLimits = {
  /** At most so many at once, whatever a job allows. */
  readonly threads: number;
  /** The share of the time that is worked, 0 to 1. */
  readonly dutyCycle: number;
  /** Whether it keeps to as many processors as it has threads. */
  readonly confined: boolean;
  /** A process that holds more is ended. Null: no limit. 2^20 bytes. */
  readonly memoryMb: number | null;
};

/** Whether a process that keeps to the first keeps to the second, too. Of memory it knows nothing: it is watched. */
export function workTheSame(before: RunnerLimits | null, now: RunnerLimits): boolean {
  return (
    before?.threads === now.threads && before.dutyCycle === now.dutyCycle && before.confined === now.confined
  );
}
