/** Where a component is mounted: "" is the app itself, "pool/batch" a component of the component "pool". */
export type ComponentPath = string;

export const appComponent: ComponentPath = "";

export type TableName = { readonly component: ComponentPath; readonly table: string };

/** What the engine calls a component's table: "pool/batch/tasks". The app's own tables keep their names. */
export function engineTableName({ component, table }: TableName): string {
  return component === appComponent ? table : `${component}/${table}`;
}

/** Takes apart what `engineTableName` made. */
export function parseEngineTableName(name: string): TableName {
  const slash = name.lastIndexOf("/");
  return slash === -1
    ? { component: appComponent, table: name }
    : { component: name.slice(0, slash), table: name.slice(slash + 1) };
}

/** The table of an id, as the component calls it; null for ids of other components and of no deployment. */
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
