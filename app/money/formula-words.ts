import { formatCount, formatPercent } from "../format/quantity.ts";
import { formatPrice } from "./credits.ts";
import type { PriceParts } from "./price-list.ts";

type Formula = {
  readonly promptTokens: number;
  /** Null: only the prompt has a price, as of an embedding. */
  readonly completionTokens: number | null;
  /** In micro-credits per token. */
  readonly promptMicro: bigint;
  readonly completionMicro: bigint;
  readonly percent: number;
  /** The percents that make `percent`. Null: they are not known. */
  readonly parts: PriceParts | null;
};

/** How a price came about: "38 tokens in × 20 + 12 out × 100 credits per 1,000, × 200% for its priority". */
export function formulaWords({ percent, parts, ...formula }: Formula): string {
  const sum = sumWords(formula);
  if (percent === 100) return sum;
  if (parts === null) return `${sum}, × ${formatPercent(percent)} for its priority, its kind and its hour`;
  const ofPriority =
    parts.priority === 100 ? sum : `${sum}, × ${formatPercent(parts.priority)} for its priority`;
  const ofKind =
    parts.kind === 100 ? ofPriority : `${ofPriority}, × ${formatPercent(parts.kind)} for its kind`;
  const ofClass =
    parts.dataClass === undefined
      ? ofKind
      : `${ofKind}, × ${formatPercent(parts.dataClass)} for its data class`;
  return parts.hour === 100 ? ofClass : `${ofClass}, × ${formatPercent(parts.hour)} for its hour`;
}

/** The same before the percent. */
export function sumWords({
  promptTokens,
  completionTokens,
  promptMicro,
  completionMicro,
}: Omit<Formula, "percent" | "parts">): string {
  return completionTokens === null
    ? `${formatCount(promptTokens)} tokens in × ${formatPrice(promptMicro)} credits per 1,000`
    : `${formatCount(promptTokens)} tokens in × ${formatPrice(promptMicro)} + ${formatCount(completionTokens)} out × ${formatPrice(completionMicro)} credits per 1,000`;
}
