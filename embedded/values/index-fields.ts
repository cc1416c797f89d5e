import type { TableDefinition } from "../engine/types.ts";

/** The fields that an index's keys are made of, in order; null when the table has no such index. */
export function keyFieldsOf(definition: TableDefinition | null, index: string): readonly string[] | null {
  if (index === "by_id") return ["_id"];
  if (index === "by_creation_time") return ["_creationTime", "_id"];
  const declared = definition?.indexes.find((each) => each.name === index);
  return declared === undefined ? null : withSystemFields(declared.fields);
}

/** Appends what every declared index ends with, so that equal fields keep the order of creation. */
export function withSystemFields(fields: readonly string[]): readonly string[] {
  return [...fields, "_creationTime", "_id"];
}
