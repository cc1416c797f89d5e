/** The shares of a budget at which it warns. */
export const warnAt = 0.8;

export type BudgetState = "ok" | "near" | "over";

/** A budget is near its end at 80 %, and over at 100 %. It warns, and may refuse new jobs. */
export function budgetState(spentMicro: bigint, monthlyMicro: bigint): BudgetState {
  const share = shareOfBudget(spentMicro, monthlyMicro);
  return share >= 1 ? "over" : share >= warnAt ? "near" : "ok";
}

export function shareOfBudget(spentMicro: bigint, monthlyMicro: bigint): number {
  return Number(spentMicro) / Number(monthlyMicro);
}
