import { formatCount, formatPercent } from "../../../app/format/quantity.ts";
import { formatPrice } from "../../../app/money/credits.ts";
import type { JobDetail } from "../data/rows.ts";

/** How a job's price came about: "38 tokens in × 20 + 12 out × 100 credits per 1,000". Null before the tokens are known. */
export function priceWords(
  { price, percent }: Pick<NonNullable<JobDetail["cost"]>, "price" | "percent">,
  usage: JobDetail["usage"],
): string | null {
  if (usage === null) return null;
  const { promptTokens, completionTokens } = usage;
  const sum = `${formatCount(promptTokens)} tokens in × ${formatPrice(price.promptMicro)} + ${formatCount(completionTokens)} out × ${formatPrice(price.completionMicro)}`;
  return percent === 100
    ? `${sum} credits per 1,000`
    : `${sum} credits per 1,000, × ${formatPercent(percent)} for its priority`;
}
