import type { Transaction } from "../../engine/model/types.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import { fullRange } from "../../values/keys/index-range.ts";

/**
 * `_environment_variables`: the variables that the deployment's admin has set. Its writer is
 * packages/embedded/system/environment-variables.ts.
 */
export const environmentTable: TableDefinition = {
  name: "_environment_variables",
  indexes: [{ name: "by_name", fields: ["name"] }],
};

type StoredVariable = { readonly id: string; readonly name: string; readonly value: string };

/**
 * Reads the stored variables, by name. All of them join the transaction's read set, so a query that used one
 * reruns when any changes. Empty before the backend's first start, when the table does not exist yet.
 */
export function storedVariables(transaction: Transaction, hasTable: boolean): readonly StoredVariable[] {
  if (!hasTable) return [];
  const scan = transaction.scan(fullRange(environmentTable.name, "by_name"), "asc");
  const variables: StoredVariable[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) {
    const { _id: id, name, value } = entry.document as Record<string, string>;
    if (id !== undefined && name !== undefined && value !== undefined) variables.push({ id, name, value });
  }
  return variables;
}
