import type { SnapshotStore } from "../face/snapshot-store.ts";

/** A server that was reached a moment ago answers in milliseconds. */
const mostMs = 10_000;

/** Resolves when this computer has joined, or cannot join for now. The panel then says why. */
export function untilJoined(snapshot: Pick<SnapshotStore, "get" | "onDelta">): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { device, problem = null } = snapshot.get();
      if (device !== null || problem !== null) end();
    };
    const unsubscribe = snapshot.onDelta(look);
    const timer = setTimeout(end, mostMs);
    function end(): void {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
    look();
  });
}
