/** Jobs are forgotten after this time, or when there are more of them. */
const rememberedMs = 3_600_000;
const mostJobs = 1_000;
/** A job may be released this many times because its process ended. After that the end counts as a failure. */
const mostReleases = 2;

type Killed = { releases: number; suspect: boolean; at: number };

/** Jobs of this device whose process ended unexpectedly, by their ids in the queue. */
export class KilledJobs {
  readonly #jobs = new Map<string, Killed>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a release. False: it was released so often that it has to count as a failure now. */
  mayRelease(jobId: string): boolean {
    const job = this.#of(jobId);
    job.releases += 1;
    return job.releases <= mostReleases;
  }

  /** From now on the job runs alone here, until it succeeds. */
  suspect(jobId: string): void {
    this.#of(jobId).suspect = true;
  }

  isSuspect(jobId: string): boolean {
    return this.#known(jobId)?.suspect === true;
  }

  succeeded(jobId: string): void {
    this.#jobs.delete(jobId);
  }

  #known(jobId: string): Killed | null {
    const job = this.#jobs.get(jobId);
    return job === undefined || this.#now() > job.at + rememberedMs ? null : job;
  }

  #of(jobId: string): Killed {
    const job = this.#known(jobId) ?? { releases: 0, suspect: false, at: 0 };
    job.at = this.#now();
    // The map keeps the order of insertion, so the first job is the one that was killed the longest ago.
    this.#jobs.delete(jobId);
    this.#jobs.set(jobId, job);
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= mostJobs) break;
      this.#jobs.delete(oldest);
    }
    return job;
  }
}

type Startable = { readonly suspect: boolean };

/** Which of the waiting jobs may start now, in their order. A suspect runs alone, and the jobs behind it wait for it. */
export function startable<Job extends Startable>(
  waiting: readonly Job[],
  running: readonly Startable[],
): readonly Job[] {
  if (running.some(({ suspect }) => suspect)) return [];
  const first = waiting.findIndex(({ suspect }) => suspect);
  if (first === -1) return waiting;
  if (first > 0) return waiting.slice(0, first);
  return running.length === 0 ? waiting.slice(0, 1) : [];
}
