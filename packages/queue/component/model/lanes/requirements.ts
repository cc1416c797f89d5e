import { type Given, isGiven } from "../../../shared/given.ts";
import type { Capabilities, Requirements } from "../../../shared/validators.ts";
import { defined } from "../load.ts";

/** Requirements in canonical form: sorted lists without duplicates, and no fields that require nothing. */
export function canonical(requirements: Requirements | undefined): Requirements {
  const { model, memoryMb, vramMb, gpu, contextTokens } = requirements ?? {};
  const { tags, groups, labels, dataClass } = requirements ?? {};
  const all = sorted(tags);
  const any = sorted(groups);
  const given = sorted(labels);
  // In this order: names of stored lanes depend on it.
  return defined({
    model,
    memoryMb: memoryMb === 0 ? undefined : memoryMb,
    gpu: gpu ? true : undefined,
    contextTokens: contextTokens === 0 ? undefined : contextTokens,
    tags: all.length === 0 ? undefined : all,
    groups: any.length === 0 ? undefined : any,
    dataClass,
    labels: given.length === 0 ? undefined : given,
    vramMb: vramMb === 0 ? undefined : vramMb,
  });
}

/** The name of a lane, from the kind and the canonical requirements. */
export function laneName(kind: string, requirements: Requirements): string {
  return JSON.stringify([kind, requirements]);
}

function sorted(names: readonly string[] | undefined): string[] {
  return [...new Set(names)].sort();
}

export type Able = Given & { readonly capabilities?: Capabilities | undefined };

/**
 * Whether a worker can run jobs of a kind with these requirements. Its capabilities must suffice, and its organization
 * must have given it the groups, the labels and the data class. A capability that is not reported is missing.
 */
export function matches(worker: Able, kind: string, needs: Requirements = {}): boolean {
  const has = worker.capabilities;
  if (has?.kinds.includes(kind) !== true) return false;
  const { model, memoryMb = 0, vramMb = 0, gpu = false, contextTokens = 0, tags = [] } = needs;
  return (
    (model === undefined || (has.models ?? []).includes(model)) &&
    (has.memoryMb ?? 0) >= memoryMb &&
    (has.vramMb ?? 0) >= vramMb &&
    (!gpu || has.gpu === true) &&
    contextOf(has, model) >= contextTokens &&
    tags.every((tag) => (has.tags ?? []).includes(tag)) &&
    isGiven(worker, needs)
  );
}

function contextOf({ contexts = [], contextTokens = 0 }: Capabilities, model: string | undefined): number {
  return contexts.find((each) => each.model === model)?.contextTokens ?? contextTokens;
}
