import type { Capabilities, Requirements } from "../../validators.ts";

export type Able = {
  readonly capabilities?: Capabilities | undefined;
  readonly groups: readonly string[];
  readonly dataClasses: readonly string[];
};

/**
 * Whether a worker can run jobs of a kind with these requirements. Its capabilities must suffice, and its organization
 * must allow the groups and the data class. A capability that is not reported is missing.
 */
export function matches(worker: Able, kind: string, needs: Requirements = {}): boolean {
  const has = worker.capabilities;
  if (has?.kinds.includes(kind) !== true) return false;
  const { model, memoryMb = 0, gpu = false, contextTokens = 0, tags = [], groups = [], dataClass } = needs;
  return (
    (model === undefined || (has.models ?? []).includes(model)) &&
    (has.memoryMb ?? 0) >= memoryMb &&
    (!gpu || has.gpu === true) &&
    (has.contextTokens ?? 0) >= contextTokens &&
    tags.every((tag) => (has.tags ?? []).includes(tag)) &&
    (groups.length === 0 || groups.some((group) => worker.groups.includes(group))) &&
    (dataClass === undefined || worker.dataClasses.includes(dataClass))
  );
}
