/** The jobs of a round and the tokens of each answer. */
export type RoundSize = { readonly jobs: number; readonly maxTokens: number };

/** The time that a warm-up of one side took, for jobs as they are in a round. */
type WarmUp = RoundSize & { readonly seconds: number };

/**
 * The jobs are a multiple of every number of sequences, so that no sequence runs alone at the end. A round on a fast
 * machine is large, so that its start and end, 20 to 300 ms each, matter little.
 */
const sizes: readonly [RoundSize, ...RoundSize[]] = [
  { jobs: 4, maxTokens: 24 },
  { jobs: 4, maxTokens: 48 },
  { jobs: 4, maxTokens: 96 },
  { jobs: 8, maxTokens: 96 },
  { jobs: 12, maxTokens: 96 },
  { jobs: 16, maxTokens: 96 },
  { jobs: 24, maxTokens: 96 },
];
/** With fewer rounds the ratio has no quartiles worth the name. */
const enoughRounds = 3;

/** The largest round of both sides that fits `enoughRounds` times into the time. The least, if none does. */
export function roundSize(seconds: number, warmUp: WarmUp): RoundSize {
  const fits = (size: RoundSize): boolean => 2 * enoughRounds * secondsOf(size, warmUp) <= seconds;
  return sizes.findLast(fits) ?? sizes[0];
}

/** Reading a prompt takes as long as writing this many tokens. Measured: 30. A lower number makes the estimate too long. */
const promptCost = 24;

/** The estimated time of a round of one side, rather too long. */
function secondsOf(size: RoundSize, warmUp: WarmUp): number {
  return (warmUp.seconds * costOf(size)) / costOf(warmUp);
}

/** In generated tokens. */
function costOf({ jobs, maxTokens }: RoundSize): number {
  return jobs * (promptCost + maxTokens);
}
