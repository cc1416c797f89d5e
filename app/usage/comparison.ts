import type { UsageFigures } from "./figures.ts";

/** The price of a cloud for work like a model's, per million tokens, in the currency of the organization. */
export type CloudPrice = { readonly modelId: string; readonly prompt: number; readonly completion: number };

type Tokens = Pick<UsageFigures, "promptTokens" | "completionTokens">;

/** The cost of these tokens at a price. */
export function cloudCost({ promptTokens, completionTokens }: Tokens, price: CloudPrice): number {
  return (promptTokens * price.prompt + completionTokens * price.completion) / 1e6;
}

export type CloudTotal = {
  /** Null if no model has a price. */
  readonly cost: number | null;
  /** Tokens of models without a price, which are not in the cost. */
  readonly unpricedTokens: number;
};

/** The cost of the work of all models at these prices. */
export function cloudTotal(
  models: readonly (Tokens & { readonly subject: string })[],
  prices: readonly CloudPrice[],
): CloudTotal {
  const byModel = new Map(prices.map((price) => [price.modelId, price]));
  const costs = models.flatMap((model) => {
    const price = byModel.get(model.subject);
    return price === undefined ? [] : [cloudCost(model, price)];
  });
  const unpriced = models.filter(({ subject }) => !byModel.has(subject));
  return {
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    unpricedTokens: unpriced.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0),
  };
}

/** An organization's own figures of its devices and its grid. Null: it entered none, and nothing is guessed. */
export type PowerFacts = { readonly watts: number | null; readonly gramsPerKwh: number | null };

/** Energy = the power that a working device draws × the time that devices worked on answers. Null if the power is unknown. */
export function kilowattHours(runMs: number, { watts }: PowerFacts): number | null {
  return watts === null ? null : (watts * runMs) / 3.6e9;
}

/** Carbon = energy × the grid's intensity; grams of CO2. Null if one of them is unknown. */
export function carbonGrams(runMs: number, facts: PowerFacts): number | null {
  const energy = kilowattHours(runMs, facts);
  return energy === null || facts.gramsPerKwh === null ? null : energy * facts.gramsPerKwh;
}
