import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import { isRecord } from "../../../../app/json.ts";
import type { Found, Sensor } from "../../base/sensor.ts";
import { networkNames } from "../../common/network-names.ts";
import type { Bus, BusObject, Properties } from "./bus.ts";
import { watchObject } from "./watch-object.ts";

const service = "org.freedesktop.NetworkManager";
const manager: BusObject = { service, path: "/org/freedesktop/NetworkManager", interface: service };

/** Whether the internet connection is metered, and the names of active connections (Wi-Fi, VPN), by signals. */
export function networkManagerSensor(bus: Bus): Sensor {
  return {
    source: "NetworkManager",
    facts: ["metered", "networks"],
    everyMs: null,
    follow: (report) => {
      let running = true;
      let asked = 0;
      const unwatch = watchObject(bus, manager, (properties) => {
        asked += 1;
        const mine = asked;
        report({ metered: readMetered(properties) });
        void connectionNames(bus, properties).then((networks) => {
          if (running && mine === asked) report({ networks });
        });
      });
      return () => {
        running = false;
        unwatch();
      };
    },
  };
}

/** NetworkManager's NMMetered: 1 is yes and 2 is no. 3 and 4 are guesses of the same from the kind of network. */
function readMetered(properties: Properties | null): NonNullable<Found["metered"]> {
  switch (properties?.["Metered"]) {
    case 1:
    case 3:
      return known(true);
    case 2:
    case 4:
      return known(false);
    default:
      return unknown;
  }
}

async function connectionNames(bus: Bus, properties: Properties | null): Promise<Known<readonly string[]>> {
  const paths = properties?.["ActiveConnections"];
  if (!Array.isArray(paths)) return unknown;
  const all = await Promise.all(
    paths
      .filter((path): path is string => typeof path === "string")
      .map((path) =>
        bus.properties({ service, path, interface: "org.freedesktop.NetworkManager.Connection.Active" }),
      ),
  );
  return known([...networkNames(), ...all.filter(isRecord).flatMap(readConnection)]);
}

/** A connection's name, and its kind if that adds information ("vpn"). Loopback does not count. */
function readConnection(properties: Properties): readonly string[] {
  const name = properties["Id"];
  if (typeof name !== "string" || properties["Type"] === "loopback") return [];
  return properties["Vpn"] === true ? [name, "vpn"] : [name];
}
