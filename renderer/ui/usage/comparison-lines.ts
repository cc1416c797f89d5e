import { carbonWords, energyWords } from "../../../app/format/energy.ts";
import { formatCount, formatPercent, moneyWords } from "../../../app/format/quantity.ts";
import type { ModelTokens } from "../../../app/statistics/model-tokens.ts";
import {
  carbonGrams,
  cloudTotal,
  kilowattHours,
  measuredShare,
  type UsageFacts,
  type Work,
} from "../../../app/usage/comparison.ts";

export type ComparisonLine = {
  readonly name: string;
  /** Null if it is not known. */
  readonly value: string | null;
  /** The method in two or three words. */
  readonly note: string;
  readonly method: string;
};

/** The same work in a cloud, and its energy and carbon, each with its method. */
export function comparisonLines(
  facts: UsageFacts,
  models: readonly Readonly<ModelTokens>[],
  work: Work,
): Readonly<Record<"cloud" | "energy" | "carbon", ComparisonLine>> {
  return {
    cloud: cloudLine(facts, models),
    energy: energyLine(facts, work),
    carbon: carbonLine(facts, work),
  };
}

function cloudLine(
  { cloudPrices, currency }: UsageFacts,
  models: readonly Readonly<ModelTokens>[],
): ComparisonLine {
  const { cost, unpricedTokens } = cloudTotal(models, cloudPrices);
  const method = "The tokens of each model × the price of a cloud for a like model (entered).";
  const left = `${formatCount(unpricedTokens)} tokens of models without a price are left out.`;
  return {
    name: "Price in a cloud",
    value: cost === null ? null : moneyWords(cost, currency),
    note: unpricedTokens === 0 ? "for the same tokens" : "without some models",
    method:
      cost === null
        ? "No price of a cloud is entered for these models."
        : unpricedTokens === 0
          ? method
          : `${method} ${left}`,
  };
}

function energyLine(facts: UsageFacts, work: Work): ComparisonLine {
  const kwh = kilowattHours(work, facts);
  const share = measuredShare(work, facts) ?? 0;
  return {
    name: "Energy",
    value: kwh === null ? null : energyWords(kwh),
    note:
      share === 0
        ? /* @wc-include */ "estimated"
        : share === 1
          ? /* @wc-include */ "measured"
          : `${formatPercent(share * 100)} measured`,
    method: energyMethod(facts, work, share),
  };
}

function energyMethod({ watts }: UsageFacts, { energy, runMs }: Work, share: number): string {
  if (energy === null) {
    return watts === null
      ? "No device told its energy, and no power of a device is entered."
      : `Estimated: ${formatCount(watts)} W per working device (entered) × the time that devices worked on answers (measured).`;
  }
  const sentences = [
    share === 0
      ? "Estimated from the hardware, since no meter could be read."
      : share === 1
        ? "Meters counted all of it."
        : `Meters counted ${formatPercent(share * 100)} of it. The rest is estimated from the hardware.`,
    "The draw at rest, failed attempts and the network are left out.",
  ];
  if (runMs > energy.runMs) {
    sentences.push(
      watts === null
        ? "Jobs whose device did not tell it are left out."
        : `For jobs whose device did not tell it: ${formatCount(watts)} W (entered) × their time.`,
    );
  }
  return sentences.join(" ");
}

function carbonLine(facts: UsageFacts, work: Work): ComparisonLine {
  const grams = carbonGrams(work, facts);
  return {
    name: "Carbon",
    value: grams === null ? null : carbonWords(grams),
    note: /* @wc-include */ "estimated",
    method: carbonMethod(facts, work),
  };
}

function carbonMethod(facts: UsageFacts, work: Work): string {
  const { gramsPerKwh } = facts;
  if (gramsPerKwh === null) return "No carbon intensity of the grid is entered.";
  if (kilowattHours(work, facts) === null) return "It needs the energy.";
  return typeof gramsPerKwh === "number"
    ? `Estimated: the energy × ${formatCount(gramsPerKwh)} g CO₂ per kWh of the grid (entered).`
    : "Estimated: the energy of each hour of the day × the carbon intensity of that hour (entered).";
}
