/**
 * What the simulator takes for granted, in milliseconds unless it says otherwise, and where each figure is from.
 * Whoever measures better figures changes them here alone.
 */

/** One stage of database reads. A cloud deployment's, as `npm run -s bench` sets it on the embedded backend. */
export const readMs = 2;
/** A durable commit, likewise. The conflict check comes at its end: packages/embedded/engine/transact/commit-with-retries.ts. */
export const commitMs = 10;

/** packages/embedded/engine/transact/commit-with-retries.ts: five tries, waits that double from 10 ms, of which half is at random. */
export const mostTries = 5;
export const firstBackoffMs = 10;
/** How long a device or client rests whose mutation lost all tries: our worker's and the baseline's pause. */
export const restAfterFailureMs = 1_000;

/** Stages of reads that depend on each other, by function: packages/queue/component/. Reads of one stage run together. */
export const readStages = {
  submit: 2,
  /** What one that waits holds, before it is handed a job; who waits is read beside the lane. */
  ask: 1,
  /** Who waits elsewhere: where a prefix is spread, and in a small lane where nobody waits near. */
  lookFurther: 1,
  candidates: 2,
  claim: 2,
  complete: 2,
  home: 1,
  theft: 1,
  lengths: 1,
  crowd: 1,
};

/** From a commit to one more subscriber having it: `bench -- engine`, 1,000 of them within 85 ms. */
export const pushPerSubscriberMs = 0.085;
/** Convex runs more than so many invalidated queries spread over 5 ms for each of them. */
export const spreadAbove = 200;
export const spreadPerSubscriberMs = 5;

/** An idle device may make 60 calls an hour, whatever the policy: so a policy that looks again does so once a minute. */
export const lookAgainMs = 60_000;
/** The ring's backup takes what is still there then. */
export const backupMs = 400;
/** From a hand-over to a dead device to the look that takes it back: 2 to 5 s, packages/queue/component/model/dispatch/reclaim.ts. */
export const recallMs = 3_500;
/** Who was woken for a job that was ready for less does not look for the next one at its end: packages/queue/component, `promptMs`. */
export const promptMs = 1_000;
/** Jobs that a waiting device is shown of one place: packages/queue/component/model/dispatch/candidates.ts. */
export const shownJobs = 4;
/** How often slots are fitted to the fleet. */
export const resizeMs = 5_000;

/** People: a device can be had for so long on average, and is then in use for so long; both without memory. */
export const availableMs = 40 * 60_000;
export const inUseMs = 20 * 60_000;
/** The share of those that go without a word: lids, power cuts, networks. */
export const silentShare = 0.05;
/** A silent device's job is ready again; it is believed to be waiting. The queue's leases and presence check. */
export const leaseLostMs = 50_000;
export const presenceLostMs = 150_000;

/** Jobs: the prompt's prefix, unless the device still holds it, and then what is new. An assumption: laptops, chat. */
export const prefixMs = 2_000;
export const jobMeanMs = 7_000;
/** Of the logarithm: lengths are lognormal. */
export const jobSigma = 0.8;
/** Prefixes that a device holds, the latest ones. */
export const heldPrefixes = 2;

/** How long a queue transaction with so many stages of reads takes, from its snapshot to its commit's check. */
export function transactionMs(stages: number): number {
  return stages * readMs + commitMs;
}

/** Before the next try, after so many lost ones. @param random in [0, 1). */
export function backoffMs(lost: number, random: number): number {
  const full = firstBackoffMs * 2 ** (lost - 1);
  return full / 2 + (random * full) / 2;
}
