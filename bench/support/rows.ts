/** A line of a table for the terminal: a label and right-aligned cells. */
export function tableRow(label: string, cells: readonly (string | number)[]): string {
  return `  ${label.padEnd(48)}${cells.map((cell) => String(cell).padStart(14)).join("")}`;
}
