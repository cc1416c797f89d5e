const wholeNumber = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const decimal = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en-US", { style: "percent" });

/** "1,234": digits in groups, whatever the locale, so that columns line up everywhere. */
export function formatCount(value: number): string {
  return wholeNumber.format(value);
}

/** "1 job", "3 jobs". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share from 0 to 1 as "42%". */
export function formatShare(share: number): string {
  return percent.format(share);
}

/** Decimal units, as operating systems show file sizes: "0.8 kB", "1.2 MB", "4.7 GB". */
export function formatBytes(bytes: number): string {
  const [size, unit] =
    bytes < 999_500
      ? [bytes / 1e3, "kilobyte"]
      : bytes < 999_500_000
        ? [bytes / 1e6, "megabyte"]
        : [bytes / 1e9, "gigabyte"];
  return size.toLocaleString("en-US", { style: "unit", unit, maximumFractionDigits: 1 });
}

/** A measured amount of memory or disk in MiB: "834 MiB", "5.9 GiB". `Intl` has no binary units. */
export function formatMebibytes(size: number): string {
  return size < 1_024 ? `${formatCount(size)} MiB` : `${decimal.format(size / 1_024)} GiB`;
}

/** An exact amount of memory or disk in MiB, as a person set it: "1,500 MiB", "20 GiB". */
export function formatExactMebibytes(size: number): string {
  return size % 1_024 === 0 ? formatMebibytes(size) : `${formatCount(size)} MiB`;
}
