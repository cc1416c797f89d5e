/** The path of a component: "" is the app, "pool/batch" is in the component "pool". */
export type ComponentPath = string;

export const appComponent: ComponentPath = "";

type TableName = { readonly component: ComponentPath; readonly table: string };

/** The engine's name for a component's table, such as "pool/batch/tasks". The app's own tables keep their names. */
export function engineTableName({ component, table }: TableName): string {
  return component === appComponent ? table : `${component}/${table}`;
}

/** Reverses `engineTableName`. */
export function parseEngineTableName(name: string): TableName {
  const slash = name.lastIndexOf("/");
  return slash === -1
    ? { component: appComponent, table: name }
    : { component: name.slice(0, slash), table: name.slice(slash + 1) };
}

/** The table of an id, by the component's own name; null for ids of other components or deployments. */
export function localTableOf(
  transaction: { tableOf(id: string): string | null },
  component: ComponentPath,
  id: string,
): string | null {
  const name = transaction.tableOf(id);
  if (name === null) return null;
  const parsed = parseEngineTableName(name);
  return parsed.component === component ? parsed.table : null;
}
