/** Parses labels separated by commas. Trims them and removes duplicates. */
export function parseLabels(typed: string): string[] {
  const labels = typed.split(",").map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ""))];
}

export function joinLabels(labels: readonly string[]): string {
  return labels.join(", ");
}
