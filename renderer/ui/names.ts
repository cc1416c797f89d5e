/** Parses names separated by commas. Trims them and removes duplicates. */
export function splitNames(typed: string): string[] {
  const names = typed.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

export function joinNames(names: readonly string[]): string {
  return names.join(", ");
}
