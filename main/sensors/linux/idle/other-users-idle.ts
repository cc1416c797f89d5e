import { unknown } from "../../../../app/facts/facts.ts";
import type { IdleSensor } from "../../base/idle.ts";
import type { Bus, Properties } from "../dbus/bus.ts";
import { watchOwnSession } from "../dbus/own-session.ts";
import { logindIdle } from "./logind-idle.ts";

/**
 * Where users share a computer: while somebody else's session is in front, this user's desktop sees no input, however
 * busy the other one is. Then logind is asked; while our own session is in front, this knows nothing and costs nothing.
 */
export function otherUsersIdle(bus: Bus, uid: number): IdleSensor {
  const others = logindIdle(bus);
  const listeners = new Set<() => void>();
  let isBehind = false;
  let stopWatching = (): void => undefined;
  return {
    source: () => others.source(),
    isPolled: () => false,
    sample: () => (isBehind ? others.sample() : unknown),
    onInput: (listener) => {
      listeners.add(listener);
      const unlisten = others.onInput?.(listener);
      return () => {
        listeners.delete(listener);
        unlisten?.();
      };
    },
    start: (changed) => {
      const take = (properties: Properties | null): void => {
        const nowBehind = properties?.["Active"] === false;
        if (nowBehind === isBehind) return;
        isBehind = nowBehind;
        if (isBehind) others.start?.(changed);
        else others.stop?.();
        changed();
        // Nobody switches users without touching anything.
        for (const listener of [...listeners]) listener();
      };
      stopWatching = watchOwnSession(bus, uid, take);
    },
    stop: () => {
      stopWatching();
      stopWatching = () => undefined;
      isBehind = false;
      others.stop?.();
    },
  };
}
