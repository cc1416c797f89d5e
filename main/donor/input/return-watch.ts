import type { IdleSensor } from "../../sensors/base/idle.ts";
import { InputWatch } from "./input-watch.ts";

/** Input after this time without any means that the person came back. */
const awayAfterMs = 10_000;

/**
 * Calls back when a person comes back to the computer, but not while a person keeps using it. Never calls back
 * if the system cannot report input. Returns a function that stops the watch.
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
