import { locale } from "./locale.ts";

/**
 * A typed number with a point and no groups, as `Number` reads it: "1,234.5" is "1234.5", and so is "1.234,5" in German. A
 * comma or a point that cannot separate thousands is a decimal point in every language. Other text stays as it is.
 * @param language e.g. "de-DE". By default that of the page.
 */
export function plainNumber(typed: string, language = locale): string {
  const text = typed.trim();
  const group = decimalPoint(language) === "." ? "," : ".";
  const grouped = group === "," ? /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/ : /^[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/;
  return (grouped.test(text) ? text.replaceAll(group, "") : text).replace(",", ".");
}

/** A number as a field shows it, so that `plainNumber` reads the same number: "1125.5", and "1125,5" in German. */
export function typedNumber(value: number, language = locale): string {
  return value.toLocaleString(language, { useGrouping: false, maximumFractionDigits: 10 });
}

function decimalPoint(language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  return parts.find(({ type }) => type === "decimal")?.value ?? ".";
}
