import { formatCredits } from "../money/credits.ts";

const wholeNumbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** "1,234": digits in groups, whatever the locale, so that columns line up everywhere. */
export function formatCount(value: number): string {
  return wholeNumbers.format(value);
}

/** "1 job", "3 jobs". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share from 0 to 1 as "42 %". */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Decimal units, as operating systems show file sizes: "834 B", "1.2 MB", "4.7 GB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1_000;
    at += 1;
  }
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at] ?? ""}`;
}

/** A measured amount of memory or disk in MiB: "834 MiB", "5.9 GiB", "120 GiB". */
export function formatMebibytes(size: number): string {
  return size < 1_024 ? `${Math.round(size)} MiB` : `${(size / 1_024).toFixed(size < 10_240 ? 1 : 0)} GiB`;
}

/** An exact amount of memory or disk in MiB, as a person set it: "1,500 MiB", "20 GiB". */
export function formatExactMebibytes(size: number): string {
  return size >= 1_024 && size % 1_024 === 0
    ? `${formatCount(size / 1_024)} GiB`
    : `${formatCount(size)} MiB`;
}

/** Micro-credits as they cross JSON (a decimal string), in credits; "–" for text that is no integer. */
export function formatMicroText(micro: string): string {
  return /^-?\d{1,30}$/.test(micro) ? formatCredits(BigInt(micro)) : "–";
}
