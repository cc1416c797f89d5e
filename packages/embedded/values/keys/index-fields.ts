export type IndexDefinition = {
  /** The index's name within its table, e.g. "by_status". */
  readonly name: string;
  /** Declared fields, without the `_creationTime` and `_id` that every index ends with. */
  readonly fields: readonly string[];
};

export type TableDefinition = {
  readonly name: string;
  readonly indexes: readonly IndexDefinition[];
};

const byId = ["_id"];
const byCreationTime = ["_creationTime", "_id"];
const known = new WeakMap<IndexDefinition, readonly string[]>();

/** The fields of an index's keys, in order; null when the table has no such index. */
export function keyFieldsOf(definition: TableDefinition | null, index: string): readonly string[] | null {
  if (index === "by_id") return byId;
  if (index === "by_creation_time") return byCreationTime;
  const declared = definition?.indexes.find((each) => each.name === index);
  if (declared === undefined) return null;
  let fields = known.get(declared);
  if (fields === undefined) {
    fields = withSystemFields(declared.fields);
    known.set(declared, fields);
  }
  return fields;
}

/** Appends the system fields that end every declared index, so that equal fields sort by creation. */
export function withSystemFields(fields: readonly string[]): readonly string[] {
  return [...fields, "_creationTime", "_id"];
}
