import type { Requirements } from "./validators.ts";

/** A worker as far as the app has given it something. */
export type Given = {
  readonly groups: readonly string[];
  readonly labels?: readonly string[] | undefined;
  readonly dataClasses: readonly string[];
};

/** Whether a worker has the groups, labels and data class that the app gives. Its own report says nothing about them. */
export function isGiven(worker: Given, { groups = [], labels = [], dataClass }: Requirements): boolean {
  return (
    (groups.length === 0 || groups.some((group) => worker.groups.includes(group))) &&
    labels.every((label) => (worker.labels ?? []).includes(label)) &&
    (dataClass === undefined || worker.dataClasses.includes(dataClass))
  );
}
