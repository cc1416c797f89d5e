/** The value of a cell. Null: an empty cell. */
export type Cell = string | number | null;

/** A table as CSV (RFC 4180), with its header. Text cannot become a formula of a spreadsheet. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => csvLine(row.map(textOf))).join("");
}

/** A row with exactly these texts. */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(",")}\r\n`;
}

/** A text that no spreadsheet takes for a formula. */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function textOf(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "number" ? String(cell) : withoutFormula(cell);
}
