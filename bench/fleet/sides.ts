import type { Side, SideName } from "../side.ts";

/** Loaded when wanted: a process of workers holds the one that it is about. */
export const sides: { readonly [Name in SideName]: () => Promise<Side> } = {
  ours: async () => (await import("../ours/side.ts")).ours,
  baseline: async () => (await import("../baseline/side.ts")).baseline,
};
