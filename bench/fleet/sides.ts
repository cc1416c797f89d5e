import type { Side, SideName } from "../side.ts";

/** Loaded on demand, so that a process of workers contains only its own side. */
export const sides: { readonly [Name in SideName]: () => Promise<Side> } = {
  ours: async () => (await import("../ours/side.ts")).ours,
  baseline: async () => (await import("../baseline/side.ts")).baseline,
};
