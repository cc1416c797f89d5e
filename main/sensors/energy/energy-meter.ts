import type { MeterReading } from "../../../app/energy/energy-account.ts";
import { batteryWatts } from "./battery-power.ts";
import { raplCounter } from "./rapl.ts";

/** The counter of the graphics cards while jobs use one. Null joules: no counter tells them. */
type OfCards = { readonly joules: number | null };

/**
 * Reads how much the computer has used. `now`: ms of a clock that nobody sets. `cards`: null while jobs use none. Null if nothing can
 * be read.
 */
export type EnergyMeter = (now: number, cards: OfCards | null) => MeterReading | null;

type Sources = {
  /** Watts from the batteries; null on mains. */
  readonly battery: () => number | null;
  /** Joules of the processors; null if they cannot be read. */
  readonly rapl: () => number | null;
};

/**
 * On Linux the batteries while they discharge, since they feed the whole computer, otherwise the processors' counters. While jobs
 * use a graphics card, its counter is added. It also counts alone, since a card draws far more than the processor that feeds it. macOS
 * tells its power only to root, and Windows has no counter of processors for ordinary programs.
 */
export function energyMeter(
  platform: NodeJS.Platform,
  { battery = batteryWatts, rapl = raplCounter() }: Partial<Sources> = {},
): EnergyMeter {
  if (platform !== "linux") return (_now, cards) => withCards(null, cards);
  let fromBattery = 0;
  let last: { readonly at: number; readonly watts: number } | null = null;
  return (now, cards) => {
    const watts = battery();
    // The counters are read in any case, so that they cannot overflow unseen.
    const joules = rapl();
    if (watts === null) {
      last = null;
      return withCards(joules, cards);
    }
    if (last !== null) fromBattery += (((last.watts + watts) / 2) * (now - last.at)) / 1_000;
    last = { at: now, watts };
    return { meter: "battery", joules: fromBattery };
  };
}

/** The name tells which parts are counted, since only readings of the same parts can be compared. */
function withCards(ofProcessors: number | null, cards: OfCards | null): MeterReading | null {
  if (cards === null) return ofProcessors === null ? null : { meter: "processors", joules: ofProcessors };
  if (cards.joules === null) return null;
  if (ofProcessors === null) return { meter: "cards", joules: cards.joules };
  return { meter: "processors and cards", joules: ofProcessors + cards.joules };
}
