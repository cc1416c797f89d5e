/** The value of a cell. Null: an empty cell. */
export type Cell = string | number | null;

/** A table as CSV (RFC 4180), with its header. Text cannot become a formula of a spreadsheet. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => csvLine(row.map(textOf))).join("");
}

/** A row with exactly these texts. */
export function csvLine(cells: readonly string[], delimiter = ","): string {
  const isSpecial = (cell: string): boolean => cell.includes(delimiter) || /["\r\n]/.test(cell);
  const quoted = cells.map((cell) => (isSpecial(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(delimiter)}\r\n`;
}

/** A text that no spreadsheet takes for a formula. A number with a sign is none. */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]\d+(?:[.,]\d+)?$/.test(text) ? `'${text}` : text;
}

function textOf(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "number" ? decimalOf(cell) : withoutFormula(cell);
}

/** A number without an exponent, which some programs take for text: "0.000000797". */
function decimalOf(number: number): string {
  const text = String(number);
  if (!text.includes("e")) return text;
  return number.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}
