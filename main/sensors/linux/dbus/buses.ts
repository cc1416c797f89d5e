import { existsSync } from "node:fs";
import { Bus } from "./bus.ts";

type BusName = "system" | "session";

const buses = new Map<string, Bus>();

/** This program's only connection to a bus. */
export function sharedBus(name: BusName, env: NodeJS.ProcessEnv): Bus {
  const address = busAddress(name, env, existsSync);
  const key = `${name} ${address ?? ""}`;
  const bus = buses.get(key) ?? new Bus(address);
  buses.set(key, bus);
  return bus;
}

/** Finds the address of a bus in the standard way. */
export function busAddress(
  name: BusName,
  env: NodeJS.ProcessEnv,
  exists: (path: string) => boolean,
): string | null {
  if (name === "system") {
    const given = env["DBUS_SYSTEM_BUS_ADDRESS"];
    if (given !== undefined && given !== "") return given;
    const usual = "/run/dbus/system_bus_socket";
    return exists(usual) ? `unix:path=${usual}` : null;
  }
  const given = env["DBUS_SESSION_BUS_ADDRESS"];
  if (given !== undefined && given !== "") return given;
  // A user service may lack this variable, depending on how the session was started.
  const folder = env["XDG_RUNTIME_DIR"];
  return folder !== undefined && exists(`${folder}/bus`) ? `unix:path=${folder}/bus` : null;
}
