import { formatCredits } from "../../../app/money/credits.ts";
import { formulaWords } from "../../../app/money/formula-words.ts";
import type { JobDetail } from "../data/rows.ts";

type Cost = NonNullable<JobDetail["cost"]>;

/** How a job's price came about: "38 tokens in × 20 + 12 out × 100 credits per 1,000". Null before the tokens are known. */
export function priceWords(
  { price, percent, parts = null }: Pick<Cost, "price" | "percent"> & Partial<Pick<Cost, "parts">>,
  usage: JobDetail["usage"],
): string | null {
  return usage === null ? null : formulaWords({ ...usage, ...price, percent, parts });
}

/** More about the price of a job: its version, and who paid. */
export function priceNotes({
  status,
  ownJob,
  cost,
}: Pick<JobDetail, "status" | "ownJob"> & { readonly cost: Cost }): readonly string[] {
  const isLost = status === "failed" || status === "canceled" || status === "expired";
  return [
    ...(ownJob
      ? ["An own job: a device of the key’s owner did it. It costs nothing and earns nothing."]
      : []),
    ...(isLost
      ? [
          `It ended without an answer, so it costs nothing and earns nothing. The key got back the reserved ${formatCredits(cost.reservedMicro)}.`,
        ]
      : []),
    ...(cost.coveredMicro > 0n
      ? [`The key had too few credits: the organization paid ${formatCredits(cost.coveredMicro)} of it.`]
      : []),
    ...(cost.outrunMicro > 0n
      ? [
          `${formatCredits(cost.outrunMicro)} of it paid another device for the part that it had written before this answer.`,
        ]
      : []),
    ...(cost.version === null ? [] : [`Price version ${cost.version}.`]),
  ];
}

/** The price of a job that has not ended with an answer. */
export function openPriceWords({ reservedMicro, mostMicro }: Cost): string {
  return reservedMicro < mostMicro
    ? `not paid yet; ${formatCredits(reservedMicro)} reserved, at most ${formatCredits(mostMicro)}`
    : `not paid yet; up to ${formatCredits(reservedMicro)} reserved`;
}
