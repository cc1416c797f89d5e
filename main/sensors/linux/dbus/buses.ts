import { existsSync } from "node:fs";
import type { Log } from "../../../log.ts";
import { Bus } from "./bus.ts";

type BusName = "system" | "session";

const buses = new Map<string, Bus>();

/** This program's only connection to a bus. Without a supported address, the bus counts as missing. */
export function sharedBus(name: BusName, env: NodeJS.ProcessEnv, log: Log): Bus {
  const address = busAddress(name, env, existsSync);
  const key = `${name} ${address ?? ""}`;
  const known = buses.get(key);
  if (known !== undefined) return known;
  const isSupported = address !== "unsupported";
  if (!isSupported) log("warn", "dbus.address-unsupported", { bus: name, use: "unix:path=…" });
  const bus = new Bus(isSupported ? address : null);
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
    if (given !== undefined && given !== "") return socketsIn(given);
    const usual = "/run/dbus/system_bus_socket";
    return exists(usual) ? `unix:path=${usual}` : null;
  }
  const given = env["DBUS_SESSION_BUS_ADDRESS"];
  if (given !== undefined && given !== "") return socketsIn(given);
  // A user service may lack this variable, depending on how the session was started.
  const folder = env["XDG_RUNTIME_DIR"];
  return folder !== undefined && exists(`${folder}/bus`) ? `unix:path=${folder}/bus` : null;
}

/**
 * The addresses of sockets in a list of addresses, or "unsupported" if it has none. Other kinds start programs (`unixexec:`,
 * `launchd:`, `autolaunch:`) or lead to other computers (`tcp:`). An environment variable must not do either.
 */
function socketsIn(list: string): string {
  const sockets = list
    .split(";")
    .filter((address) => /^unix:(?:[^,]*,)*(?:path|abstract)=[^,]/.test(address));
  return sockets.length === 0 ? "unsupported" : sockets.join(";");
}
