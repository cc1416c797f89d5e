import { unknown } from "../../../../app/facts/facts.ts";
import type { IdleSensor } from "../../base/idle.ts";
import type { Bus, Properties } from "../dbus/bus.ts";
import { watchOwnSession } from "../dbus/own-session.ts";
import { logindIdle } from "./logind-idle.ts";

/**
 * For computers that users share. While another user's session is in front, this user's desktop sees no input, so
 * logind is asked. While our own session is in front, this reports nothing and costs nothing.
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
        // Switching users takes input, so it counts as input.
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
