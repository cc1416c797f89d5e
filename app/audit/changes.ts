/** A field, its value before, and its value after. A secret is never one. */
export type Change = readonly [field: string, before: Shown, after: Shown];

type Shown = string | number | boolean | readonly string[] | null | undefined;

const maxChars = 500;

/**
 * "field: before → after; …" of the fields that changed, for an audit entry. Empty if none did. `others`: words for changes whose
 * values are not shown, such as "another password".
 */
export function changesText(changes: readonly Change[], others: readonly string[] = []): string {
  const shown = changes
    .map(([field, before, after]) => [field, words(before), words(after)] as const)
    .filter(([, before, after]) => before !== after)
    .map(([field, before, after]) => `${field}: ${before} → ${after}`);
  return [...shown, ...others].join("; ");
}

function words(value: Shown): string {
  if (value === null || value === undefined || value === "") return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" || typeof value === "string") return bounded(String(value));
  return value.length === 0 ? "none" : bounded(value.join(", "));
}

function bounded(text: string): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}

/** One line of an entry's details. Without a change it is only `words`. */
export type DetailLine =
  | { readonly kind: "words"; readonly words: string }
  | { readonly kind: "change"; readonly field: string; readonly before: string; readonly after: string };

/** The lines of an entry's details, for the console. */
export function detailLines(detail: string): readonly DetailLine[] {
  return detail.split("; ").map((line) => {
    const parts = /^(?<field>.{1,200}?): (?<before>.*?) → (?<after>.*)$/s.exec(line)?.groups;
    const { field, before, after } = parts ?? {};
    if (field === undefined || before === undefined || after === undefined)
      return { kind: "words", words: line };
    return { kind: "change", field, before, after };
  });
}
