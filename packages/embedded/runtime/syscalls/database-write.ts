import type { JSONValue } from "convex/values";
import type { DocumentJson } from "../../engine/model/types.ts";
import { localTableOf } from "../../names/table-name.ts";
import { isUndefinedJson } from "../../values/json-operand.ts";
import { formatBytes } from "../checks/format-bytes.ts";
import { identifierProblem } from "../checks/identifier.ts";
import { limits } from "../checks/limits.ts";
import { measureValue } from "../checks/measure-value.ts";
import { checkNewDocument, withoutSystemFields } from "../checks/schema.ts";
import type { TransactionExecution } from "../execution/execution.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { Services } from "./services.ts";
import { invalidArg, objectArg, optionalStringArg, stringArg, type SyscallArgs } from "./syscall-args.ts";
import { guardSystemTable, tableFor, tableOfArg } from "./table-access.ts";

/** Size of `_id` and `_creationTime`, as Convex counts them. */
const systemFieldsBytes = 61;
/** The answer to a change of a document. The convex package uses none, and a document would be written out and parsed again. */
const nothing = null;

/** `1.0/insert` */
export function insert(services: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const table = stringArg(args, "table", "db.insert");
  if (table.startsWith("_")) throw new SyscallError("System tables (prefixed with `_`) are read-only.");
  const problem = identifierProblem(table);
  if (problem !== null) throw invalidArg("table", "db.insert", problem);
  const value = objectArg(args, "value", "db.insert");
  checkSystemFields(value, {});
  const { bytes, nesting } = admit(services, execution, table, value, "db.insert");
  const id = execution.transaction.insert(tableFor(execution.component, table), value);
  execution.usage.wrote(id, bytes, nesting);
  return { _id: id };
}

/** `1.0/shallowMerge`: `db.patch`. A field that is `{"$undefined": null}` is removed. */
export function shallowMerge(
  services: Services,
  execution: TransactionExecution,
  args: SyscallArgs,
): JSONValue {
  const target = existing(execution, args, "db.patch");
  const changes = objectArg(args, "value", "db.patch");
  const merged = Object.entries({ ...target.document, ...changes });
  const fields = Object.fromEntries(merged.filter(([, value]) => !isUndefinedJson(value)));
  return write(services, execution, target, fields, "db.patch");
}

/** `1.0/replace` */
export function replace(services: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const target = existing(execution, args, "db.replace");
  return write(services, execution, target, objectArg(args, "value", "db.replace"), "db.replace");
}

/** `1.0/remove` */
export function remove(_: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  const { id } = existing(execution, args, "db.delete");
  execution.usage.write(0);
  execution.transaction.remove(id);
  return nothing;
}

type Target = { readonly id: string; readonly table: string; readonly document: DocumentJson };

function existing(execution: TransactionExecution, args: SyscallArgs, method: string): Target {
  const id = stringArg(args, "id", method);
  const table = tableOfArg(execution, id, optionalStringArg(args, "table", method), method);
  if (table === null) throw invalidArg("id", method, `Table for ID "${id}" not found`);
  guardSystemTable(table, false);
  const document = execution.transaction.get(id);
  if (document !== null) return { id, table, document };
  const verb = { "db.delete": "Delete", "db.replace": "Replace" }[method] ?? "Update";
  throw new SyscallError(`${verb} on nonexistent document ID ${id}`);
}

function write(
  services: Services,
  execution: TransactionExecution,
  { id, table, document }: Target,
  value: { readonly [field: string]: JSONValue },
  method: string,
): JSONValue {
  checkSystemFields(value, document);
  const fields = withoutSystemFields(value);
  const { bytes, nesting } = admit(services, execution, table, fields, method);
  execution.transaction.replace(id, fields);
  execution.usage.wrote(id, bytes, nesting);
  return nothing;
}

/** Refuses system fields other than the document's own. A new document has none yet. */
function checkSystemFields({ _id, _creationTime }: DocumentJson, own: DocumentJson): void {
  const shown = (value: JSONValue | undefined): string =>
    value === undefined ? "" : `${JSON.stringify(value)} `;
  if (_id !== undefined && _id !== own["_id"]) {
    throw new SyscallError(
      `Provided document ID ${shown(own["_id"])}doesn't match '_id' field ${JSON.stringify(_id)}`,
    );
  }
  if (_creationTime !== undefined && _creationTime !== own["_creationTime"]) {
    throw new SyscallError(
      `Provided creation time ${shown(own["_creationTime"])}doesn't match '_creationTime' field ${JSON.stringify(_creationTime)}`,
    );
  }
}

/** Checks a document's fields against Convex's rules and the schema. Counts the write, and returns its measures. */
function admit(
  services: Services,
  { usage, transaction, component }: TransactionExecution,
  table: string,
  fields: DocumentJson,
  method: string,
): { readonly bytes: number; readonly nesting: number } {
  const measured = measureValue(fields);
  if (measured.kind === "refused") throw invalidArg("value", method, measured.reason);
  const bytes = measured.bytes + systemFieldsBytes;
  if (bytes > limits.documentBytes) {
    throw new SyscallError(
      `Value is too large (${formatBytes(bytes)} > maximum size ${formatBytes(limits.documentBytes)})`,
    );
  }
  const invalid = documentProblems(fields, measured.nesting);
  if (invalid.length > 0) throw new SyscallError(`The value isn't a valid document: ${invalid.join("\n ")}`);
  usage.write(bytes);
  const problem = checkNewDocument(services.schemaOf(component), table, fields, (id) =>
    localTableOf(transaction, component, id),
  );
  if (problem !== null) throw new SyscallError(problem);
  return { bytes, nesting: measured.nesting };
}

/**
 * Returns Convex's messages for a value that cannot be a document under any schema. `fields` excludes the
 * system fields.
 */
function documentProblems(fields: DocumentJson, nesting: number): readonly string[] {
  const problems: string[] = [];
  if (nesting > limits.documentNesting) {
    problems.push(
      `Document is too nested (nested ${nesting} levels deep > maximum nesting ${limits.documentNesting})`,
    );
  }
  for (const field of Object.keys(fields)) {
    if (field.startsWith("_")) {
      problems.push(
        `Field '${field}' starts with an underscore, which is only allowed for system fields like '_id'`,
      );
    }
  }
  return problems;
}
