import { locale } from "./locale.ts";
import { formatCount } from "./quantity.ts";

/** "2.1 mWh", "340 Wh" or "1.2 kWh". */
export function energyWords(kwh: number): string {
  if (kwh >= 1) return `${shortNumber(kwh)} kWh`;
  // A single job is often less than a hundredth of a watt-hour.
  return kwh > 0 && kwh < 1e-4 ? `${shortNumber(kwh * 1e6)} mWh` : `${shortNumber(kwh * 1_000)} Wh`;
}

/** "120 g" or "3.4 kg" of CO₂. */
export function carbonWords(grams: number): string {
  return grams < 1_000 ? `${shortNumber(grams)} g` : `${shortNumber(grams / 1_000)} kg`;
}

/** Two digits that say something, or all digits of a large number. */
export function shortNumber(value: number): string {
  return value >= 100 ? formatCount(value) : value.toLocaleString(locale, { maximumSignificantDigits: 2 });
}
