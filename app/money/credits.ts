/** Micro-credits: the only unit of money in storage and on the wire. One credit is 1,000,000 of them. */
type Micro = bigint;

export const microPerCredit = 1_000_000n;

/** The price of a model in micro-credits per token. The organization sets it. */
export type Price = { readonly promptMicro: bigint; readonly completionMicro: bigint };

/** Price = prompt tokens × their price + completion tokens × theirs. Token counts must be non-negative integers. */
export function priceOf(
  price: Price,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
): Micro {
  return (
    BigInt(usage.promptTokens) * price.promptMicro + BigInt(usage.completionTokens) * price.completionMicro
  );
}

const credits = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

/** "12.345" from 12345000n or its decimal string. Exact: `Intl` reads strings without rounding them. */
export function formatCredits(micro: Micro | string): string {
  return credits.format(`${micro}E-6` as Intl.StringNumericLiteral);
}
