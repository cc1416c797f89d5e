import { formatCount, formatPercent } from "../../../app/format/quantity.ts";
import type { JobDetail } from "../data/rows.ts";

/** How a job's price came about: "(38 tokens in × 2 + 12 out × 6) per million". Null before the tokens are known. */
export function priceWords(
  { price, percent }: Pick<NonNullable<JobDetail["cost"]>, "price" | "percent">,
  usage: JobDetail["usage"],
): string | null {
  if (usage === null) return null;
  const { promptTokens, completionTokens } = usage;
  const sum = `${formatCount(promptTokens)} tokens in × ${String(price.promptMicro)} + ${formatCount(completionTokens)} out × ${String(price.completionMicro)}`;
  return percent === 100
    ? `${sum} credits per million`
    : `${sum} credits per million, × ${formatPercent(percent)} for its priority`;
}
