import { refusalWords } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { LinkState, PanelLink } from "../bridge/panel-link.ts";

export type PanelState = {
  readonly link: LinkState;
  /** The latest snapshot. It stays on screen while the link is lost. */
  readonly snapshot: DonorSnapshot | null;
  /** Explains why the snapshot is missing although the link is open. */
  readonly problem: string | null;
};

export type PanelStore = {
  readonly get: () => PanelState;
  readonly subscribe: (listener: () => void) => () => void;
};

/**
 * Boots from one snapshot, then applies deltas. Deltas that arrive before the snapshot are applied after it. The link is
 * ordered, so each field's last delta is at least as new as the snapshot.
 */
export function createPanelStore({ bridge, onLink }: PanelLink): PanelStore {
  const listeners = new Set<() => void>();
  let state: PanelState = { link: "connecting", snapshot: null, problem: null };
  let early: Partial<DonorSnapshot>[] | null = [];
  let opening = 0;

  const become = (change: Partial<PanelState>): void => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };

  bridge.onDelta((delta) => {
    if (early !== null) early.push(delta);
    else if (state.snapshot !== null) become({ snapshot: applyDelta(state.snapshot, delta) });
  });

  const boot = async (): Promise<void> => {
    const mine = ++opening;
    early = [];
    const reply = await bridge.getSnapshot(null);
    if (mine !== opening) return;
    const kept = early;
    early = null;
    if (reply.kind === "refused") become({ problem: refusalWords(reply) });
    else become({ snapshot: kept.reduce(applyDelta, reply.value), problem: null });
  };

  onLink((link) => {
    become({ link });
    if (link === "open") void boot();
  });

  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Replaces the snapshot's fields by the delta's. Returns the same object if nothing differs. A delta may have fields that
 * the first snapshot lacked, because the donor had not decided yet.
 */
export function applyDelta(snapshot: DonorSnapshot, delta: Partial<DonorSnapshot>): DonorSnapshot {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(delta);
  const changed = fields.filter(
    ([key, value]) => value !== undefined && !Object.is(snapshot[key as keyof DonorSnapshot], value),
  );
  return changed.length === 0 ? snapshot : { ...snapshot, ...Object.fromEntries(changed) };
}
