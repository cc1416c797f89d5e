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

/**
 * Typed numbers between spaces, lines, semicolons or commas, or the first part that is no number. They may be below zero.
 * @param language as for `plainNumber`.
 */
export function typedNumbers(
  typed: string,
  language = locale,
): readonly number[] | { readonly notANumber: string } {
  const text = typed.trim();
  const spaced = text.split(/[\s;]+|,\s+/);
  const byComma = text.split(",");
  const isOne = spaced.length === 1 && byComma.length <= mostGroups && numberIn(text, language) !== null;
  const numbers: number[] = [];
  for (const part of spaced.length > 1 || isOne ? spaced : byComma) {
    const number = numberIn(part, language);
    if (number === null) return { notANumber: part };
    numbers.push(number);
  }
  return numbers;
}

/** Nobody types a number with more groups of three digits, so more are numbers of three digits. */
const mostGroups = 5;

function numberIn(typed: string, language: string): number | null {
  const plain = plainNumber(typed, language);
  return /^-?\d*\.?\d+$/.test(plain) ? Number(plain) : null;
}

/** A number as a field shows it, so that `plainNumber` reads the same number: "1125.5", and "1125,5" in German. */
export function typedNumber(value: number, language = locale): string {
  return value.toLocaleString(language, { useGrouping: false, maximumFractionDigits: 10 });
}

function decimalPoint(language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  return parts.find(({ type }) => type === "decimal")?.value ?? ".";
}
