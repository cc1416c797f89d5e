import { locale } from "../format/locale.ts";
/** Micro-credits: the only unit of money in storage and on the wire. One credit is 1,000,000 of them. */
type Micro = bigint;

export const microPerCredit = 1_000_000n;

/**
 * The price of a model in micro-credits per token. The organization sets it. `percent`: the part of it that a job costs because
 * of its priority; 100 by default.
 */
export type Price = {
  readonly promptMicro: bigint;
  readonly completionMicro: bigint;
  readonly percent?: number | undefined;
};

/**
 * Price = prompt tokens × their price + completion tokens × theirs, times the percent, rounded down. Token counts and the
 * percent must be non-negative integers.
 */
export function priceOf(
  { promptMicro, completionMicro, percent = 100 }: Price,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
): Micro {
  const full = BigInt(usage.promptTokens) * promptMicro + BigInt(usage.completionTokens) * completionMicro;
  return (full * BigInt(percent)) / 100n;
}

/** The pay for a part of an answer. `paid`: the tokens of its formula. `limit`: why it is less than they are worth; null: it is not. */
export type PartialPay = {
  readonly micro: Micro;
  readonly paid: { readonly promptTokens: number; readonly completionTokens: number };
  readonly limit: "half" | "rest" | null;
};

/**
 * The pay for a part of an answer that another device finished first: the prompt and the part's tokens, but at most half of what
 * the answer earned, so that nobody earns by being slow, and at most what is left of the highest price.
 * @param share the part of the answer, 0 to 1. Without a part there is no pay for the prompt either.
 */
export function partialPay(
  price: Price,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
  { share, earned, left }: { readonly share: number; readonly earned: Micro; readonly left: Micro },
): PartialPay {
  if (share <= 0) return { micro: 0n, paid: { promptTokens: 0, completionTokens: 0 }, limit: null };
  const completionTokens = Math.floor(usage.completionTokens * Math.min(1, share));
  const paid = { promptTokens: usage.promptTokens, completionTokens };
  const worth = priceOf(price, paid);
  const half = earned / 2n;
  if (worth <= half && worth <= left) return { micro: worth, paid, limit: null };
  return half <= left ? { micro: half, paid, limit: "half" } : { micro: left, paid, limit: "rest" };
}

/** Credits as a number, for programs. A double has six decimals of up to nine billion credits. */
export function creditsNumber(micro: Micro): number {
  return Number(micro) / Number(microPerCredit);
}

const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });
const rounded = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
/** Of a cheap model, a short job costs thousandths of a credit. */
const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });

/** A price in credits per 1,000 tokens, which is how prices are shown and typed: "20" or "0.5". Exact. */
export function formatPrice(microPerToken: bigint): string {
  return exact.format(`${microPerToken}E-3` as Intl.StringNumericLiteral);
}

/** "12.345" from 12345000n or its decimal string. Exact: `Intl` reads strings without rounding them. */
export function formatExactCredits(micro: Micro | string): string {
  return exact.format(`${micro}E-6` as Intl.StringNumericLiteral);
}

/**
 * "12.35 cr" or "0.00162 cr": always in credits, as prices are, so that amounts can be compared at a glance. Rounded to
 * hundredths, or below a credit to three digits; `formatExactCredits` is for tooltips and exports.
 */
export function formatCredits(micro: Micro | string): string {
  return `${formatAmount(micro)} cr`;
}

/**
 * Formats the amounts of a table's column with the same number of decimals, so that their points are below each other: as many
 * as the smallest needs for two digits, but at most four beside whole credits, and none beside 10,000 credits. An amount that would read zero is "<0.0001 cr".
 */
export function columnCredits(
  amounts: readonly (Micro | string | null)[],
): (micro: Micro | string) => string {
  const sizes = amounts.map((amount) => absolute(BigInt(amount ?? 0n))).filter((size) => size > 0n);
  const smallest = sizes.reduce((least, size) => (size < least ? size : least), microPerCredit);
  const most = sizes.some((size) => size >= microPerCredit) ? 4 : 6;
  const isLarge = sizes.some((size) => size >= 10_000n * microPerCredit);
  const decimals = isLarge ? 0 : Math.max(2, Math.min(most, 8 - smallest.toString().length));
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const least = 10n ** BigInt(6 - decimals);
  return (micro) => {
    const amount = BigInt(micro);
    const words = (shown: Micro): string => `${format.format(`${shown}E-6` as Intl.StringNumericLiteral)} cr`;
    return amount !== 0n && 2n * absolute(amount) < least ? `<${words(least)}` : words(amount);
  };
}

/** Formats the amounts of a statement exactly, with the same number of decimals, so that a reader can add them up. */
export function exactColumn(amounts: readonly Micro[]): (micro: Micro) => string {
  const decimals = Math.max(2, ...amounts.map(decimalsOf));
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return (micro) => `${format.format(`${micro}E-6` as Intl.StringNumericLiteral)} cr`;
}

/** The decimals that an amount has in credits. */
function decimalsOf(amount: Micro): number {
  const part = absolute(amount % microPerCredit);
  return part.toString().padStart(6, "0").replace(/0+$/, "").length;
}

function absolute(amount: Micro): Micro {
  return amount < 0n ? -amount : amount;
}

/** The same in words: "12.35 credits". */
export function spellCredits(micro: Micro | string): string {
  return BigInt(micro) === microPerCredit ? "1 credit" : `${formatAmount(micro)} credits`;
}

function formatAmount(micro: Micro | string): string {
  const amount = BigInt(micro);
  const isSmall = amount > -microPerCredit && amount < microPerCredit;
  return (isSmall ? small : rounded).format(`${amount}E-6` as Intl.StringNumericLiteral);
}
