import type { DonorSnapshot } from "../../app/contract/snapshot.ts";

/** The snapshot of the donor that every panel shows, and its changes. */
export type SnapshotStore = {
  readonly get: () => DonorSnapshot;
  /** Tells the listeners which of these fields really changed. Tells them nothing if no field did. */
  readonly update: (fields: Partial<DonorSnapshot>) => void;
  readonly onDelta: (listener: (delta: Partial<DonorSnapshot>) => void) => () => void;
};

export function createSnapshotStore(initial: DonorSnapshot): SnapshotStore {
  let snapshot = initial;
  const listeners = new Set<(delta: Partial<DonorSnapshot>) => void>();
  return {
    get: () => snapshot,
    update: (fields) => {
      const changed = Object.entries(fields).filter(
        ([name, value]) => !same(snapshot[name as keyof DonorSnapshot], value),
      );
      if (changed.length === 0) return;
      const delta = Object.fromEntries(changed) as Partial<DonorSnapshot>;
      snapshot = { ...snapshot, ...delta };
      for (const listener of listeners) listener(delta);
    },
    onDelta: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Everything in a snapshot is plain JSON. */
function same(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}
