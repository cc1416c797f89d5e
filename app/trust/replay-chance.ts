import { isUnsure, meanOf, probationReplays, type Standing } from "./standing.ts";

/** The share of the fleet's work that replays of devices with a good record may cost. */
export const replayBudget = 0.028;
/** From these passed replays on a device has a good record. Until then it is replayed ever less often. */
const goodRecord = 3 * probationReplays;
/** An answer that costs more than usual is replayed more often, and a cheap one less, by these factors at most. */
const worths = { least: 0.5, most: 2 } as const;

/** Shorter answers tell little, so they are replayed less often. Not never: a device could answer them otherwise. */
const tellingTokens = 30;
const ofShort = 0.25;

/** A finished job, as far as it matters for the choice of replays. */
export type ReplayChoice = {
  /** Of the device that answered, with this model, as of now. */
  readonly standing: Standing;
  readonly answerTokens: number;
  /** The cost of a replay, as a share of the cost of the answer. */
  readonly costShare: number;
  /** The price of the job, as a share of the usual price. */
  readonly worth: number;
  /** The share of the fleet's recent work that replays of devices with a good record took. */
  readonly spentShare: number;
};

/**
 * The share of such jobs that is replayed, from 0 to 1. BOINC's adaptive replication works the same way: a new device is checked each
 * time, one with a good record rarely, and never not at all, since a device may change.
 */
export function replayShare({ standing, answerTokens, costShare, worth, spentShare }: ReplayChoice): number {
  if (isUnsure(standing)) return 1;
  const affordable = replayBudget / Math.max(replayBudget, costShare);
  // Beyond its budget it gives back what it has spent too much.
  const thrift = replayBudget / Math.max(replayBudget, spentShare);
  const telling = answerTokens < tellingTokens ? ofShort : 1;
  const usual = affordable * thrift * telling * Math.min(worths.most, Math.max(worths.least, worth));
  const doubt = (1 + 3 * standing.drift) * (2 - meanOf(standing));
  const { passed } = standing;
  const young = passed < goodRecord ? probationReplays / (2 * passed - probationReplays) : 0;
  return Math.min(1, Math.max(usual * doubt, young));
}

/** A replay comes when the shares of the jobs since the last one add up to a number between these, 1 on average. */
const owedFor = { least: 0.5, most: 1.5 } as const;
/** Even soon after a replay another one may come, so that no job is safe. */
const soon = 0.1;

/**
 * How likely this job is replayed. Independent draws would leave one device in seventy without a replay for four times the usual
 * number of jobs. So the chance rises from job to job, and nobody knows the job, but each device is replayed in time.
 * @param owed the sum of the shares of the device's jobs since its last replay.
 */
export function replayChance(share: number, owed: number): number {
  if (share >= 1) return 1;
  if (owed < owedFor.least) return share * soon;
  return Math.min(1, share / Math.max(share, owedFor.most - owed));
}

/**
 * The cost of a replay, as a share of the cost of the answer, in time of one device. It reads the prompt again, and the answer in one
 * pass.
 * @param speed of the device, in tokens per second.
 */
export function costShareOf(
  tokens: { readonly prompt: number; readonly answer: number },
  speed: { readonly prefill: number; readonly generate: number },
): number {
  const answered = tokens.prompt / speed.prefill + tokens.answer / speed.generate;
  return answered === 0 ? 1 : (tokens.prompt + tokens.answer) / speed.prefill / answered;
}
