import { locale } from "../../../app/format/locale.ts";
import { plainNumber, typedNumbers } from "../../../app/format/typed-number.ts";
import { microPerCredit } from "../../../app/money/credits.ts";

const mostCredits = 1_000_000_000;

/** A typed amount of credits in micro-credits, or why it is none. */
export function parseCredits(typed: string): bigint | string {
  const text = plainNumber(typed);
  const [, whole = "", part = ""] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  const micro = whole === "" ? 0n : BigInt(whole) * microPerCredit + BigInt(part.padEnd(6, "0"));
  if (micro > 0n && micro <= BigInt(mostCredits) * microPerCredit) return micro;
  return "Must be more than 0 credits, with at most 6 digits after the point.";
}

/** A typed number from 0 to `most`; null if the field is empty; or why it is none. */
export function parseNumber(typed: string, most: number): number | null | string {
  const text = plainNumber(typed);
  if (text === "") return null;
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value <= most) return value;
  return `Must be a number from 0 to ${most.toLocaleString(locale)}.`;
}

const mostGrams = 5_000;

/** One number, 24 for the hours of the day, null if the field is empty, or why it is none of these. */
function parseGrams(typed: string): number | number[] | null | string {
  if (typed.trim() === "") return null;
  const numbers = typedNumbers(typed);
  if ("notANumber" in numbers) return `“${numbers.notANumber}” is no number.`;
  if (numbers.some((grams) => grams < 0 || grams > mostGrams))
    return `Must be numbers from 0 to ${mostGrams.toLocaleString(locale)}.`;
  const [one = 0] = numbers;
  if (numbers.length === 1) return one;
  return numbers.length === 24 ? [...numbers] : `These are ${String(numbers.length)} numbers. Enter 1 or 24.`;
}

export type TypedFacts = {
  readonly currency: string;
  readonly watts: string;
  readonly grams: string;
  readonly prices: readonly {
    readonly modelId: string;
    readonly prompt: string;
    readonly completion: string;
  }[];
};

type Facts = {
  currency: string;
  watts: number | null;
  gramsPerKwh: number | number[] | null;
  cloudPrices: { modelId: string; prompt: number; completion: number }[];
};

/** Reads the typed prices of a cloud, the power and the carbon. A model with empty fields gets no price. */
export function parseFacts(
  typed: TypedFacts,
): { readonly kind: "ok"; readonly facts: Facts } | { readonly kind: "wrong"; readonly why: string } {
  const [watts, gramsPerKwh] = [parseNumber(typed.watts, 10_000), parseGrams(typed.grams)];
  if (typeof watts === "string") return { kind: "wrong", why: `Power: ${watts}` };
  if (typeof gramsPerKwh === "string") return { kind: "wrong", why: `Grid: ${gramsPerKwh}` };
  const cloudPrices: Facts["cloudPrices"] = [];
  for (const { modelId, ...texts } of typed.prices) {
    const [prompt, completion] = [
      parseNumber(texts.prompt, 1_000_000),
      parseNumber(texts.completion, 1_000_000),
    ];
    if (typeof prompt === "string") return { kind: "wrong", why: `${modelId}: ${prompt}` };
    if (typeof completion === "string") return { kind: "wrong", why: `${modelId}: ${completion}` };
    if (prompt === null && completion === null) continue;
    cloudPrices.push({ modelId, prompt: prompt ?? 0, completion: completion ?? 0 });
  }
  const currency = typed.currency.trim();
  if (cloudPrices.length > 0 && (currency === "" || currency.length > 10)) {
    return { kind: "wrong", why: "Enter the currency of the prices, such as EUR." };
  }
  return { kind: "ok", facts: { currency, watts, gramsPerKwh, cloudPrices } };
}
