import { locale } from "./locale.ts";

/**
 * A typed number with a point and no groups, as `Number` reads it: "1,234.5" is "1234.5", and so is "1.234,5" in German. A
 * comma or a point that cannot separate thousands is a decimal point in every language. Other text stays as it is.
 * @param language e.g. "de-DE". By default that of the page.
 */
export function plainNumber(typed: string, language = locale): string {
  const text = typed.trim();
  const group = decimalPoint(language) === "." ? "," : ".";
  const grouped = group === "," ? /^\d{1,3}(,\d{3})+(\.\d*)?$/ : /^\d{1,3}(\.\d{3})+(,\d*)?$/;
  return (grouped.test(text) ? text.replaceAll(group, "") : text).replace(",", ".");
}

function decimalPoint(language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  return parts.find(({ type }) => type === "decimal")?.value ?? ".";
}
