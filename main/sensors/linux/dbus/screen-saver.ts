import { known, unknown } from "../../../../app/facts/facts.ts";
import type { Found, Sensor } from "../../base/sensor.ts";
import type { Bus, BusObject } from "./bus.ts";

const savers: readonly BusObject[] = [
  ["org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"],
  ["org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"],
  ["org.mate.ScreenSaver", "/org/mate/ScreenSaver"],
  ["org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"],
  ["org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"],
].map(([service = "", path = ""]) => ({ service, path, interface: service }));

/** The lock as reported by the desktop's screen saver, for desktops that do not report it to logind. */
export function screenSaverSensor(bus: Bus): Sensor {
  return {
    source: "the desktop's screen saver",
    facts: ["locked"],
    everyMs: null,
    sample: () => readSavers(bus),
    follow: (report) => {
      const stops = savers.map(({ path, interface: name }) =>
        bus.onSignal({ path, interface: name, member: "ActiveChanged" }, ([active]) => {
          if (typeof active === "boolean") report({ locked: known(active) });
        }),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

async function readSavers(bus: Bus): Promise<Found> {
  const answers = await Promise.all(savers.map((saver) => bus.call(saver, "GetActive")));
  const active = answers.filter((answer) => typeof answer === "boolean");
  return { locked: active.length === 0 ? unknown : known(active.includes(true)) };
}
