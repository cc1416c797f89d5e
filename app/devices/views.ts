/**
 * The parts of a view of the devices: its filters, its order and its columns. These are their names in the address of the page,
 * and in a saved view.
 */
export const viewParts = [
  "q",
  "state",
  "group",
  "platform",
  "version",
  "model",
  "concern",
  "owner",
  "named",
  "from",
  "memory",
  "fits",
  "lacks",
  "gpu",
  "tag",
  "sort",
  "columns",
] as const;

export type ViewPart = (typeof viewParts)[number];

/** The parts that filter no device. */
export const looksOnly: readonly ViewPart[] = ["sort", "columns"];
