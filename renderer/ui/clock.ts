import { createContext, useContext, useSyncExternalStore } from "react";

/** Fixes "now" for pages that show fixtures. Null means the real clock. */
export const FixedNow = createContext<number | null>(null);

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** The current time in ms since the epoch. One timer, shared by all components, updates it each second. */
export function useNow(): number {
  const fixed = useContext(FixedNow);
  const ticking = useSyncExternalStore(subscribe, () => (timer === null ? (now = roundedNow()) : now));
  return fixed ?? ticking;
}

// Rounded to whole seconds, so that two reads in one render agree.
function roundedNow(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}
