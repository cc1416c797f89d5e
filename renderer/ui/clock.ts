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
  const ticking = useSyncExternalStore(subscribe, current);
  return fixed ?? ticking;
}

/** A value that follows from the time. Only a change of the value renders anew, not each second. */
export function useFromNow<Value extends string | number | boolean>(derive: (now: number) => Value): Value {
  const fixed = useContext(FixedNow);
  return useSyncExternalStore(subscribe, () => derive(fixed ?? current()));
}

function current(): number {
  return timer === null ? (now = roundedNow()) : now;
}

// Rounded to whole seconds, so that two reads in one render agree.
function roundedNow(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}
