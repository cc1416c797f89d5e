/** Where a component is mounted: "" is the app itself, "pool/batch" a component of the component "pool". */
export type ComponentPath = string;

export const APP: ComponentPath = "";

export type TableName = { readonly component: ComponentPath; readonly table: string };

/** What the engine calls a component's table: "pool/batch/tasks". The app's own tables keep their names. */
export function engineTableName({ component, table }: TableName): string {
  return component === APP ? table : `${component}/${table}`;
}

/** Takes apart what `engineTableName` made. */
export function parseEngineTableName(name: string): TableName {
  const slash = name.lastIndexOf("/");
  return slash === -1
    ? { component: APP, table: name }
    : { component: name.slice(0, slash), table: name.slice(slash + 1) };
}
