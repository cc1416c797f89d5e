import { known, type ThermalState, unknown } from "../../../app/facts/facts.ts";
import type { Found, Sensor } from "../base/sensor.ts";

/** System events that a desktop shell receives. Electron's powerMonitor has this shape. */
export type SystemEvents = {
  readonly source: string;
  /** Null if this system does not report it. */
  readonly isLocked: (() => boolean) | null;
  readonly isOnBattery: (() => boolean) | null;
  readonly thermal: (() => string) | null;
  readonly on: (event: SystemEvent, listener: () => void) => () => void;
};

export type SystemEvent =
  "lock" | "unlock" | "suspend" | "resume" | "ac" | "battery" | "thermal-state-change";

/** Lock, sleep, mains and heat by the system's own events: immediate, and at no cost. */
export function shellSensor(system: SystemEvents): Sensor {
  const look = (): Found => ({
    ...(system.isLocked === null ? {} : { locked: known(system.isLocked()) }),
    ...(system.isOnBattery === null ? {} : { power: known(system.isOnBattery() ? "battery" : "ac") }),
    ...(system.thermal === null ? {} : { thermal: readThermalState(system.thermal()) }),
  });
  return {
    source: system.source,
    facts: [
      "suspended",
      ...(system.isLocked === null ? [] : (["locked"] as const)),
      ...(system.isOnBattery === null ? [] : (["power"] as const)),
      ...(system.thermal === null ? [] : (["thermal"] as const)),
    ],
    everyMs: null,
    sample: look,
    follow: (report) => {
      const stops = [
        ...(system.isLocked === null
          ? []
          : [
              system.on("lock", () => report({ locked: known(true) })),
              system.on("unlock", () => report({ locked: known(false) })),
            ]),
        system.on("suspend", () => report({ suspended: known(true) })),
        system.on("resume", () => report({ ...look(), suspended: known(false) })),
        ...(system.isOnBattery === null
          ? []
          : [
              system.on("ac", () => report({ power: known("ac") })),
              system.on("battery", () => report({ power: known("battery") })),
            ]),
        ...(system.thermal === null ? [] : [system.on("thermal-state-change", () => report(look()))]),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** macOS' four grades; Electron says "unknown" elsewhere. */
export function readThermalState(state: string): NonNullable<Found["thermal"]> {
  const grades: readonly ThermalState[] = ["nominal", "fair", "serious", "critical"];
  const grade = grades.find((name) => name === state);
  return grade === undefined ? unknown : known(grade);
}
