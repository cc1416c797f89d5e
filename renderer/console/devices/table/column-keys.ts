/** The columns of the table of devices in their order, with their titles. */
export const columnTitles = {
  name: "Device",
  activity: "Activity",
  since: "Since",
  groups: "Groups",
  system: "System",
  version: "Version",
  owner: "Owner",
  capabilities: "Offers",
  memory: "Memory",
  gpu: "GPU",
  models: "Models",
  jobsNow: "Jobs now",
  earned: "Earned",
  enrolled: "Enrolled",
} as const;

export type ColumnKey = keyof typeof columnTitles;

export const columnKeys = Object.keys(columnTitles) as readonly ColumnKey[];

/** Without a choice the table has these. They fit into the window of a small laptop. */
export const usualColumns: readonly ColumnKey[] = [
  "name",
  "activity",
  "since",
  "groups",
  "capabilities",
  "jobsNow",
  "earned",
];

/** The columns that a text of the address means, in the table's order. The name of a device is always there. */
export function columnsIn(text: string): readonly ColumnKey[] {
  if (text === "") return usualColumns;
  const named = text.split(",");
  return columnKeys.filter((key) => key === "name" || named.includes(key));
}

/** The same as text. The usual columns are "". */
export function columnsText(keys: readonly ColumnKey[]): string {
  const text = columnKeys.filter((key) => key === "name" || keys.includes(key)).join(",");
  return text === usualColumns.join(",") ? "" : text;
}
