import { formatCredits } from "../money/credits.ts";

/** "1,234": digits grouped by thin commas, whatever the locale, so that columns line up everywhere. */
export function formatCount(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
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

/** A share from 0 to 1 as "42 %". */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Micro-credits as they cross JSON (a decimal string), in credits; "–" for text that is no integer. */
export function formatMicroText(micro: string): string {
  return /^-?\d{1,30}$/.test(micro) ? formatCredits(BigInt(micro)) : "–";
}

/** "1 job", "3 jobs". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
