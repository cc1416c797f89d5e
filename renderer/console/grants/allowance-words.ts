import { formatMoment } from "../../../app/format/time.ts";
import type { AllowanceTerms } from "../../../app/money/allowance.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { Allowance } from "../data/rows.ts";

/** An allowance and its next renewal in a short sentence. Null without one. */
export function allowanceWords(allowance: Allowance | null, now: number): string | null {
  if (allowance === null) return null;
  const { dueAt } = allowance;
  const terms = termsWords(allowance);
  return dueAt <= now
    ? `Allowance: ${terms}, next within the hour`
    : `Allowance: ${terms}, next ${formatMoment(dueAt, now)}`;
}

function termsWords({ every, kind, micro }: AllowanceTerms): string {
  const credits = formatExactCredits(micro);
  switch (every) {
    case "day":
      return kind === "add" ? `${credits} credits each day` : `topped up to ${credits} credits each day`;
    case "week":
      return kind === "add" ? `${credits} credits each week` : `topped up to ${credits} credits each week`;
    case "month":
      return kind === "add" ? `${credits} credits each month` : `topped up to ${credits} credits each month`;
  }
}
