import { known, unknown } from "../../../../app/facts/facts.ts";
import type { Found, Sensor } from "../../base/sensor.ts";
import type { Bus, Properties } from "./bus.ts";
import { loginManager, watchOwnSession } from "./own-session.ts";

/** Lock and sleep, by systemd-logind's signals. The lid is polled, because logind sends no signal for it. */
export function logindSensor(bus: Bus, uid: number): Sensor {
  return {
    source: "systemd-logind",
    facts: ["locked", "suspended", "lidClosed"],
    everyMs: 60_000,
    sample: async () => readManager(await bus.properties(loginManager)),
    follow: (report) => {
      const { path, interface: name } = loginManager;
      const stops = [
        watchOwnSession(bus, uid, (properties) => report(readSession(properties))),
        bus.onSignal({ path, interface: name, member: "PrepareForSleep" }, ([goes]) => {
          if (typeof goes === "boolean") report({ suspended: known(goes) });
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function readSession(properties: Properties | null): Found {
  const locked = properties?.["LockedHint"];
  return { locked: typeof locked === "boolean" ? known(locked) : unknown };
}

function readManager(properties: Properties | null): Found {
  const closed = properties?.["LidClosed"];
  const sleeps = properties?.["PreparingForSleep"];
  return {
    // On a computer without a lid, logind reports an open one.
    lidClosed: typeof closed === "boolean" ? known(closed) : unknown,
    suspended: typeof sleeps === "boolean" ? known(sleeps) : unknown,
  };
}
