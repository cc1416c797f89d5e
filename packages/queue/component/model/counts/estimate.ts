/**
 * How many there are, from the smallest dice of them: exact while all were read, else estimated, without bias, from
 * how far so many dice reach. The standard error is one part in √sample: 2.2 % of 2,000.
 * @param dice in [0, 1), ascending: the first `limit` of all, or all.
 */
export function countFrom(dice: readonly number[], limit: number): number {
  const last = dice.at(-1);
  if (dice.length < limit || last === undefined || last === 0) return dice.length;
  return Math.max(dice.length, Math.round((dice.length - 1) / last));
}
