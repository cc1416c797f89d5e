import { existsSync } from "node:fs";
import { Bus, busAddress, type BusName } from "./bus.ts";

const buses = new Map<string, Bus>();

/** This program's only connection to a bus. */
export function sharedBus(name: BusName, env: NodeJS.ProcessEnv): Bus {
  const address = busAddress(name, env, existsSync);
  const key = `${name} ${address ?? ""}`;
  const bus = buses.get(key) ?? new Bus(address);
  buses.set(key, bus);
  return bus;
}
