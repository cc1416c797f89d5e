import type { IdleSensor } from "../../sensors/idle.ts";
import { InputWatch } from "./input-watch.ts";

/** Whoever touches the computer again after so long without had left it. */
const awayAfterMs = 10_000;

/**
 * Calls back when a person comes back to the computer: not for whoever sits at it and goes on. Where nothing tells of
 * input it never does. Returns how to stop watching.
 */
export function watchForReturn(sensor: IdleSensor, onReturn: () => void): () => void {
  const idle = sensor.sample();
  let lastInputAt = performance.now() - (idle.known ? idle.value * 1_000 : 0);
  const watch = new InputWatch(sensor, () => {
    const away = performance.now() - lastInputAt >= awayAfterMs;
    lastInputAt = performance.now();
    if (away) onReturn();
  });
  watch.watch(true);
  return () => watch.watch(false);
}
