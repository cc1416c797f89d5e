/** How sure it is that a batch ends in its time. Below `promised`, people are told; below a half, they are warned. */
export type EndChance = "promised" | "unsure" | "unlikely";

/** The share of batches that end by the latest moment of their forecast. */
export const promised = 0.95;

/** @param onTime the share of the drawn futures in which it ends in its time. */
export function endChanceOf(onTime: number): EndChance {
  if (onTime >= promised) return "promised";
  return onTime >= 0.5 ? "unsure" : "unlikely";
}
