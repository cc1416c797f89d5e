/** A row of a table: its columns and their values. Those of a CSV file are texts. */
export type Fields = Readonly<Record<string, unknown>>;

/** `{{column}}`, with or without spaces inside. */
const placeholder = /\{\{\s*(.*?)\s*\}\}/gs;

/** The columns that a template names, each once. */
export function columnsIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, column = ""]) => column))];
}

/** The template with a row's values. Values are not read as templates again. The row must have the columns. */
export function fillTemplate(template: string, fields: Fields): string {
  return template.replace(placeholder, (_, column: string) => textOfValue(fields[column]));
}

/** Nothing is an empty text. Lists and objects are JSON. */
export function textOfValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
