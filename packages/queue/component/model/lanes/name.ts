import type { Requirements } from "../../validators.ts";

/** Requirements in canonical form: sorted lists without duplicates, and no fields that require nothing. */
export function canonical(requirements: Requirements | undefined): Requirements {
  const { model, memoryMb, gpu, contextTokens, tags, groups, dataClass } = requirements ?? {};
  const all = sorted(tags);
  const any = sorted(groups);
  return {
    ...(model === undefined ? {} : { model }),
    ...(memoryMb === undefined || memoryMb === 0 ? {} : { memoryMb }),
    ...(gpu === true ? { gpu } : {}),
    ...(contextTokens === undefined || contextTokens === 0 ? {} : { contextTokens }),
    ...(all.length === 0 ? {} : { tags: all }),
    ...(any.length === 0 ? {} : { groups: any }),
    ...(dataClass === undefined ? {} : { dataClass }),
  };
}

/** The name of a lane, from the kind and the canonical requirements. */
export function laneName(kind: string, requirements: Requirements): string {
  return JSON.stringify([kind, requirements]);
}

function sorted(names: readonly string[] | undefined): string[] {
  return [...new Set(names)].sort();
}
