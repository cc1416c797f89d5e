/**
 * The simulator's assumptions with their sources, in ms unless noted. Better measurements change only this
 * file.
 */

/** One stage of database reads in a cloud deployment. `npm run -s bench` uses the same latency. */
export const readMs = 2;
/** A durable commit, likewise. The conflict check comes at its end: packages/embedded/engine/transact/transact.ts. */
export const commitMs = 10;

/** Five tries with waits that double from 10 ms, half of each at random: packages/embedded/engine/transact/transact.ts. */
export const mostTries = 5;
export const firstBackoffMs = 10;
/** The pause of a device or client whose mutation lost all tries, as in our worker and in the baseline. */
export const restAfterFailureMs = 1_000;

/** Stages of reads that depend on each other, by function: packages/queue/component/. Reads of one stage run together. */
export const readStages = {
  submit: 2,
  /** Reads a waiting device's jobs before a hand-over. The waiting devices are read together with the lane. */
  ask: 1,
  /** Reads waiting devices elsewhere: where a prefix is spread, or in a small lane without a waiter nearby. */
  searchFurther: 1,
  candidates: 2,
  claim: 2,
  complete: 2,
  home: 1,
  steal: 1,
  lengths: 1,
  crowd: 1,
};

/** The time to notify one more subscriber of a commit: `bench -- engine` measured 85 ms for 1,000 of them. */
export const pushPerSubscriberMs = 0.085;
/** Beyond this number of invalidated queries, Convex spreads their runs over 5 ms each. */
export const spreadAbove = 200;
export const spreadPerSubscriberMs = 5;

/** An idle device may make 60 calls an hour. So a policy that polls does so once a minute. */
export const pollMs = 60_000;
/** The ring's reserve takes a job that is still there after this time. */
export const reserveMs = 400;
/** A job handed to a dead device is reclaimed after 2 to 5 s: packages/queue/component/model/dispatch/reclaim.ts. */
export const reclaimMs = 3_500;
/**
 * A device that was woken this soon after its job became ready does not search at the job's end: `promptMs` in
 * packages/queue/component.
 */
export const promptMs = 1_000;
/** The number of jobs per place that a waiting device sees: packages/queue/component/model/dispatch/candidates.ts. */
export const shownJobs = 4;
/** The interval at which slots follow the fleet. */
export const resizeMs = 5_000;

/** People: the average times for which a device is available and then in use. Both are memoryless. */
export const availableMs = 40 * 60_000;
export const inUseMs = 20 * 60_000;
/** The share of devices that vanish silently: closed lids, power cuts, networks. */
export const silentShare = 0.05;
/**
 * The time until a silent device's job is ready again, and until it no longer counts as waiting. From the
 * queue's leases and presence check.
 */
export const leaseLostMs = 50_000;
export const presenceLostMs = 150_000;

/**
 * Jobs: the time to read a prompt's prefix, unless the device has it, and the time of the rest. Assumed for
 * chat on laptops.
 */
export const prefixMs = 2_000;
export const jobMeanMs = 7_000;
/** The standard deviation of the logarithm. Lengths are lognormal. */
export const jobSigma = 0.8;
/** The number of latest prefixes that a device keeps. */
export const heldPrefixes = 2;

/**
 * The duration of a queue transaction with this many stages of reads, from its snapshot to the check of its
 * commit, in ms.
 */
export function transactionMs(stages: number): number {
  return stages * readMs + commitMs;
}

/** The wait before the next try, after this many lost tries, in ms. @param random in [0, 1). */
export function backoffMs(lost: number, random: number): number {
  const full = firstBackoffMs * 2 ** (lost - 1);
  return full / 2 + (random * full) / 2;
}
