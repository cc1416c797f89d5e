import type { MeterReading } from "../../../app/energy/energy-account.ts";
import { batteryWatts } from "./battery-power.ts";
import { raplCounter } from "./rapl.ts";

/**
 * Reads how much the computer has used. `now`: ms of a clock that nobody sets. `card`: whether a graphics card works, which the
 * processors' counters leave out. Null if nothing can be read.
 */
export type EnergyMeter = (now: number, card: boolean) => MeterReading | null;

type Sources = {
  /** Watts from the batteries; null on mains. */
  readonly battery: () => number | null;
  /** Joules of the processors; null if they cannot be read. */
  readonly rapl: () => number | null;
};

/**
 * The meters of Linux: the batteries while they discharge, since they feed the whole computer, otherwise the processors' counters.
 * macOS tells its power only to root, and Windows has no counter for ordinary programs.
 */
export function energyMeter(
  platform: NodeJS.Platform,
  { battery = batteryWatts, rapl = raplCounter() }: Partial<Sources> = {},
): EnergyMeter {
  if (platform !== "linux") return () => null;
  let fromBattery = 0;
  let last: { readonly at: number; readonly watts: number } | null = null;
  return (now, card) => {
    const watts = battery();
    // The counters are read in any case, so that they cannot overflow unseen.
    const joules = rapl();
    if (watts === null) {
      last = null;
      return joules === null || card ? null : { meter: "rapl", joules };
    }
    if (last !== null) fromBattery += (((last.watts + watts) / 2) * (now - last.at)) / 1_000;
    last = { at: now, watts };
    return { meter: "battery", joules: fromBattery };
  };
}
