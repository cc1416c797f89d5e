import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

/** Replaces the snapshot's fields by the delta's. Returns the same object if nothing differs. */
export function applyDelta(snapshot: DonorSnapshot, delta: Partial<DonorSnapshot>): DonorSnapshot {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(delta);
  const changed = fields.filter(
    ([key, value]) =>
      value !== undefined && key in snapshot && !Object.is(snapshot[key as keyof DonorSnapshot], value),
  );
  return changed.length === 0 ? snapshot : { ...snapshot, ...Object.fromEntries(changed) };
}
