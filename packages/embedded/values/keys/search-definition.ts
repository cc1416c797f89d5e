/** A full-text index: the words of one field, and fields whose values a search may require. */
type TextDefinition = {
  readonly kind: "text";
  readonly searchField: string;
  readonly filterFields: readonly string[];
};

/** An index of vectors of one length, and fields whose values a search may require. */
type VectorDefinition = {
  readonly kind: "vector";
  readonly vectorField: string;
  readonly dimensions: number;
  readonly filterFields: readonly string[];
};

export type SearchDefinition = TextDefinition | VectorDefinition;

// No field's name starts with "$".
const marks = { text: "$text", vector: "$vector" } as const;

/**
 * Writes a search index as the fields of an index definition. So it is stored, compared and staged like any other index. An
 * older version of this program does not know it, and drops it as an index that its schema lacks.
 */
export function searchIndexFields(definition: SearchDefinition): readonly string[] {
  // As in Convex, the order of filter fields means nothing.
  const filters = [...new Set(definition.filterFields)].sort();
  return definition.kind === "text"
    ? [marks.text, definition.searchField, ...filters]
    : [marks.vector, String(definition.dimensions), definition.vectorField, ...filters];
}

/** Reads what `searchIndexFields` has written. Null for the fields of an ordered index. */
export function parseSearchFields(fields: readonly string[]): SearchDefinition | null {
  const [mark, first = "", second = ""] = fields;
  if (mark === marks.text) return { kind: "text", searchField: first, filterFields: fields.slice(2) };
  if (mark !== marks.vector) return null;
  return { kind: "vector", dimensions: Number(first), vectorField: second, filterFields: fields.slice(3) };
}
