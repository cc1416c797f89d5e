import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import type { Found, Sensor } from "../../base/sensor.ts";
import type { Bus, Properties } from "./bus.ts";
import { watchObject } from "./watch-object.ts";

const service = "org.freedesktop.UPower";

/** Mains, battery and lid by UPower's signals: immediate, and without polling. */
export function upowerSensor(bus: Bus): Sensor {
  return {
    source: "UPower",
    facts: ["power", "batteryPercent", "lidClosed"],
    everyMs: null,
    follow: (report) => {
      const unwatch = [
        watchObject(bus, { service, path: "/org/freedesktop/UPower", interface: service }, (properties) =>
          report(readUpower(properties)),
        ),
        watchObject(
          bus,
          {
            service,
            path: "/org/freedesktop/UPower/devices/DisplayDevice",
            interface: "org.freedesktop.UPower.Device",
          },
          (properties) => report({ batteryPercent: readDisplayDevice(properties) }),
        ),
      ];
      return () => {
        for (const stop of unwatch) stop();
      };
    },
  };
}

function readUpower(properties: Properties | null): Found {
  const onBattery = properties?.["OnBattery"];
  const present = properties?.["LidIsPresent"];
  const closed = properties?.["LidIsClosed"];
  return {
    power: typeof onBattery === "boolean" ? known(onBattery ? "battery" : "ac") : unknown,
    lidClosed: present === true && typeof closed === "boolean" ? known(closed) : unknown,
  };
}

/** All batteries together, as the desktop shows them. Absent without a battery. */
function readDisplayDevice(properties: Properties | null): Known<number> {
  const percent = properties?.["Percentage"];
  if (properties?.["IsPresent"] !== true || typeof percent !== "number") return unknown;
  return percent >= 0 && percent <= 100 ? known(Math.round(percent)) : unknown;
}
