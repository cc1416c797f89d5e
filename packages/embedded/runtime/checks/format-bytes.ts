const units = ["B", "KiB", "MiB", "GiB"] as const;

/** Formats a size as Convex's messages do: "16 MiB", "16.50 MiB". */
export function formatBytes(bytes: number): string {
  const last = units.length - 1;
  const power = bytes < 1 ? 0 : Math.min(last, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  return `${Number.isInteger(amount) ? amount : amount.toFixed(2)} ${units[power] as string}`;
}
