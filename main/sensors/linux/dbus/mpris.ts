import { known, unknown } from "../../../../app/facts/facts.ts";
import { isRecord } from "../../../../app/json.ts";
import type { Sensor } from "../../base/sensor.ts";
import type { Bus, BusObject } from "./bus.ts";

const namespace = "org.mpris.MediaPlayer2";
const path = "/org/mpris/MediaPlayer2";
const player = "org.mpris.MediaPlayer2.Player";

/**
 * Follows media players on the session bus (MPRIS): browsers, VLC, Spotify and others. Players without MPRIS are not
 * seen, so `false` means only that no MPRIS player plays.
 */
export function mprisSensor(bus: Bus): Sensor {
  return {
    source: "media players on the bus (MPRIS)",
    facts: ["mediaPlaying"],
    everyMs: 300_000,
    // Signals carry unique bus names instead of player names, so each change reads all players again.
    sample: () => readPlayers(bus),
    follow: (report) => {
      let running = true;
      let asking = 0;
      const again = (): void => {
        asking += 1;
        const mine = asking;
        void readPlayers(bus).then((found) => {
          if (running && mine === asking) report(found);
        });
      };
      const stops = [
        bus.onSignal(
          {
            path,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            arg0: player,
          },
          ([, changed]) => {
            // Ignores titles and positions, which change all the time.
            if (isRecord(changed) && "PlaybackStatus" in changed) again();
          },
        ),
        bus.onSignal(
          {
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged",
            arg0Namespace: namespace,
          },
          ([name]) => {
            if (typeof name === "string" && name.startsWith(`${namespace}.`)) again();
          },
        ),
        bus.onLife(again),
      ];
      return () => {
        running = false;
        for (const stop of stops) stop();
      };
    },
  };
}

async function readPlayers(bus: Bus): Promise<{ readonly mediaPlaying: ReturnType<typeof known<boolean>> }> {
  const daemon: BusObject = {
    service: "org.freedesktop.DBus",
    path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus",
  };
  const names = await bus.call(daemon, "ListNames");
  if (!Array.isArray(names)) return { mediaPlaying: unknown };
  const services = names.filter(
    (name): name is string => typeof name === "string" && name.startsWith(`${namespace}.`),
  );
  const states = await Promise.all(
    services.map((service) =>
      bus.call({ service, path, interface: "org.freedesktop.DBus.Properties" }, "Get", "ss", [
        player,
        "PlaybackStatus",
      ]),
    ),
  );
  return { mediaPlaying: known(states.includes("Playing")) };
}
