import { locale } from "./locale.ts";
const wholeNumber = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const thousandths = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const percent = new Intl.NumberFormat(locale, { style: "percent" });
const tenthsOfPercent = new Intl.NumberFormat(locale, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** "1,234": digits in groups, as the page's language writes them. */
export function formatCount(value: number): string {
  return wholeNumber.format(value);
}

/**
 * "1 job", "3 jobs": the form for this count, with the count in place of "#".
 * @param forms for one and for several, e.g. ["# job", "# jobs"]. Pages get those of their language.
 * @param formOf which form a count has. Pages get the rule of their language.
 */
export function plural(
  count: number,
  forms: readonly string[],
  formOf = (number: number): number => (number === 1 ? 0 : 1),
): string {
  return (forms[formOf(count)] ?? "").replace("#", formatCount(count));
}

/** "1.4": always one digit after the point. */
export function formatTenths(value: number): string {
  return tenths.format(value);
}

/** "0.050": always three digits after the point. */
export function formatThousandths(value: number): string {
  return thousandths.format(value);
}

/** A share from 0 to 1 as "42%". */
export function formatShare(share: number): string {
  return percent.format(share);
}

/** A rate from 0 to 1 as "99.9%": one digit, rounded down, so that only a rate without any failure reads "100%". */
export function formatRate(rate: number): string {
  return rate === 1 ? percent.format(1) : tenthsOfPercent.format(Math.floor(rate * 1_000) / 1_000);
}

/** "12.40 EUR": an amount in the organization's currency. Small amounts keep two digits that say something. */
export function moneyWords(amount: number, currency: string): string {
  const digits =
    amount !== 0 && amount < 0.1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return `${amount.toLocaleString(locale, digits)} ${currency}`.trim();
}

/** Whole percents: 42 is "42%". */
export function formatPercent(percents: number): string {
  return formatShare(percents / 100);
}

/** Decimal units, as operating systems show file sizes: "0.8 kB", "1.2 MB", "4.7 GB". */
export function formatBytes(bytes: number): string {
  return sizeWords(bytes, { maximumFractionDigits: 1 });
}

function sizeWords(bytes: number, digits: Intl.NumberFormatOptions): string {
  const [size, unit] =
    bytes < 999_500
      ? [bytes / 1e3, "kilobyte"]
      : bytes < 999_500_000
        ? [bytes / 1e6, "megabyte"]
        : [bytes / 1e9, "gigabyte"];
  return size.toLocaleString(locale, { style: "unit", unit, ...digits });
}

/**
 * An amount of memory or disk that programs count in MiB, in the decimal units of everything else that a person reads: "834.4 MB", "6.3 GB".
 * Files, disks and computers are sold and downloaded in GB, and a model's size is compared with the memory it needs. Only the rules
 * keep MiB, since their numbers are typed so, here and in files of managed settings.
 */
export function formatMebibytes(size: number): string {
  return formatBytes(size * 2 ** 20);
}

/** The same to three digits, for a limit that a person chose from a list: "537 MB", "20 GB". */
export function formatRoundMebibytes(size: number): string {
  return sizeWords(size * 2 ** 20, { maximumSignificantDigits: 3 });
}

/** The number of a rule in MiB, as a person set it: "1,500 MiB", "20 GiB". */
export function formatExactMebibytes(size: number): string {
  return size % 1_024 === 0 && size > 0 ? `${formatCount(size / 1_024)} GiB` : `${formatCount(size)} MiB`;
}
