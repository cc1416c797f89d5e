import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import type { IdleSensor } from "../../base/idle.ts";
import { computerClocks, StampAge } from "../../base/stamp-age.ts";
import type { Bus, Properties } from "../dbus/bus.ts";
import { loginManager } from "../dbus/own-session.ts";
import { watchObject } from "../dbus/watch-object.ts";

/** logind sends no signal for terminal sessions, so it is polled. */
const askEveryMs = 20_000;

/**
 * Reads logind's idle hint for all sessions of all users. A desktop in use counts as active. Each desktop decides
 * when it is idle, usually some minutes after the last input.
 */
export function logindIdle(bus: Bus, clocks = computerClocks): IdleSensor {
  const age = new StampAge(clocks);
  let properties: Properties | null = null;
  let timer: NodeJS.Timeout | undefined;
  let unwatch = (): void => undefined;
  const listeners = new Set<() => void>();
  return {
    source: () => "systemd-logind's idle hint",
    isPolled: () => false,
    sample: () => readIdleHint(properties, age),
    onInput: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: (changed) => {
      const take = (found: Properties | null): void => {
        const wasIdle = isIdle(properties);
        properties = found;
        changed();
        if (wasIdle && !isIdle(found)) for (const listener of [...listeners]) listener();
      };
      unwatch = watchObject(bus, loginManager, take);
      timer = setInterval(() => void bus.properties(loginManager).then(take), askEveryMs);
    },
    stop: () => {
      clearInterval(timer);
      unwatch();
      unwatch = () => undefined;
      properties = null;
    },
  };
}

function isIdle(properties: Properties | null): boolean {
  return properties?.["IdleHint"] === true;
}

/**
 * Idle time in seconds. 0 while a session is in use, because logind does not report the last input. Unknown while
 * nobody is logged in.
 */
function readIdleHint(properties: Properties | null, age: StampAge): Known<number> {
  const { IdleHint: hint, IdleSinceHint: since } = properties ?? {};
  if (hint === false) return known(0);
  if (hint !== true || typeof since !== "number" || since === 0) return unknown;
  return known(Math.floor(age.of(since / 1_000) / 1_000));
}
