import { formatShare } from "../format/quantity.ts";
import { formatCredits } from "../money/credits.ts";

/** A budget of which much is used up. */
export type UsedBudget = {
  readonly kind: "key" | "member" | "team";
  readonly name: string;
  readonly share: number;
  readonly spentMicro: bigint;
  readonly monthlyMicro: bigint;
  /** Whether new requests are refused now. */
  readonly refuses: boolean;
};

/** The sentence of an alert about a budget. */
export function budgetSentence({ kind, name, share, spentMicro, monthlyMicro, refuses }: UsedBudget): string {
  const [used, spent, budget] = [formatShare(share), formatCredits(spentMicro), formatCredits(monthlyMicro)];
  const sentences = {
    key: refuses
      ? `The API key ${name} has used ${used} of its budget of this month: ${spent} of ${budget}. New requests are refused until the next month.`
      : `The API key ${name} has used ${used} of its budget of this month: ${spent} of ${budget}.`,
    member: refuses
      ? `The member ${name} has used ${used} of their budget of this month: ${spent} of ${budget}. New requests are refused until the next month.`
      : `The member ${name} has used ${used} of their budget of this month: ${spent} of ${budget}.`,
    team: refuses
      ? `The team ${name} has used ${used} of its budget of this month: ${spent} of ${budget}. New requests are refused until the next month.`
      : `The team ${name} has used ${used} of its budget of this month: ${spent} of ${budget}.`,
  };
  return sentences[kind];
}

export const budgetAct = "See its usage, or change the budget";

export const testSentence = "This is a test of Gleaner's alerts. Nothing is wrong.";
