import { randomBytes } from "node:crypto";
import type { JSONValue } from "convex/values";
import type { CreationClock } from "../../engine/model/creation-clock.ts";
import type { DocumentJson } from "../../engine/model/types.ts";
import { limits } from "../../runtime/checks/limits.ts";
import { measureValue } from "../../runtime/checks/measure-value.ts";
import { checkNewDocument, type Schema } from "../../runtime/checks/schema.ts";
import type { TableOf } from "../../runtime/checks/validator-json.ts";
import { decodeDocumentId, encodeDocumentId } from "../../values/document-id.ts";

export type DocumentRules = {
  readonly table: string;
  readonly number: number;
  readonly schema: Schema;
  readonly tableOf: TableOf;
  readonly clock: CreationClock;
  /** The creation time of documents without one, in ms since the epoch. */
  readonly now: number;
};

type CheckedDocument =
  | { readonly kind: "ok"; readonly document: DocumentJson }
  | { readonly kind: "refused"; readonly reason: string };

/** Makes a document of an imported row. Keeps the row's id and creation time, if it has them. */
export function importedDocument(value: JSONValue, rules: DocumentRules): CheckedDocument {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refused("it is not an object.");
  const { _id: id, _creationTime: creationTime, ...fields } = value;
  const reserved = Object.keys(fields).find((field) => field.startsWith("_"));
  if (reserved !== undefined) return refused(`the field "${reserved}" begins with an underscore.`);
  const measured = measureValue(fields);
  if (measured.kind === "refused") return refused(measured.reason);
  if (measured.bytes > limits.documentBytes) return refused("the document is larger than 1 MiB.");
  const problem =
    idProblem(id, rules) ??
    timeProblem(creationTime) ??
    checkNewDocument(rules.schema, rules.table, fields, rules.tableOf);
  if (problem !== null) return refused(problem);
  return {
    kind: "ok",
    document: {
      ...fields,
      _creationTime: creationTime ?? rules.clock.next(rules.now),
      _id: id ?? encodeDocumentId({ tableNumber: rules.number, internalId: randomBytes(16) }),
    },
  };
}

function idProblem(id: JSONValue | undefined, { table, number }: DocumentRules): string | null {
  if (id === undefined) return null;
  const decoded = typeof id === "string" ? decodeDocumentId(id) : null;
  if (decoded === null) return `the _id ${JSON.stringify(id)} is not a Convex id.`;
  if (decoded.tableNumber === number) return null;
  return `the _id ${JSON.stringify(id)} is of another table than the others of "${table}".`;
}

function timeProblem(time: JSONValue | undefined): string | null {
  if (time === undefined || (typeof time === "number" && time >= 0)) return null;
  return "the _creationTime is not a number of milliseconds.";
}

function refused(reason: string): CheckedDocument {
  return { kind: "refused", reason };
}
