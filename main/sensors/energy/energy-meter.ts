import type { MeterReading } from "../../../app/energy/energy-account.ts";
import { batteryWatts } from "./battery-power.ts";
import { macBatteryFeed, powermetricsFeed } from "./macos-power.ts";
import { fedEnergy, type PowerFeed } from "./power-feed.ts";
import { raplCounter } from "./rapl.ts";
import { windowsBatteryFeed } from "./windows-power.ts";

/** The counter of the graphics cards while jobs use one. Null joules: no counter tells them. */
type OfCards = { readonly joules: number | null };

/** `running`: a job runs, or the runner lives and one may soon. */
type Now = { readonly running: boolean; readonly onBattery: boolean };

export type EnergyMeter = {
  /**
   * Reads how much the computer has used. `now`: ms of a clock that nobody sets. `cards`: null while jobs use none. Null if nothing can
   * be read.
   */
  readonly read: (now: number, cards: OfCards | null) => MeterReading | null;
  /** Starts and ends the programs that some meters need, so that none runs without a job. */
  readonly follow: (now: Now) => void;
};

/** The energy of a part of the computer; joules. Null if it cannot be read. */
type Source = {
  readonly joules: (now: number) => number | null;
  readonly follow?: (now: Now) => void;
};

export type Sources = {
  /** The whole computer, while it is on battery. */
  readonly battery: Source;
  readonly processors: Source;
};

/**
 * The batteries while they discharge, since they feed the whole computer, otherwise the processors' counters. While jobs use a graphics
 * card, its counter is added. It also counts alone, since a card draws far more than the processor that feeds it.
 */
export function energyMeter({ battery, processors }: Sources = sourcesOf(process.platform)): EnergyMeter {
  return {
    read: (now, cards) => {
      // The counters are read in any case, so that they cannot overflow unseen.
      const ofProcessors = processors.joules(now);
      const joules = battery.joules(now);
      return joules === null ? withCards(ofProcessors, cards) : { meter: "battery", joules };
    },
    follow: (now) => {
      battery.follow?.(now);
      processors.follow?.(now);
    },
  };
}

const nothing: Source = { joules: () => null };

/** macOS tells its processors' power only to root, and Windows has no counter of processors for ordinary programs. */
export function sourcesOf(platform: NodeJS.Platform, isRoot = process.getuid?.() === 0): Sources {
  switch (platform) {
    case "linux":
      return { battery: lookedAt(batteryWatts), processors: { joules: raplCounter() } };
    case "darwin":
      return {
        battery: fed(macBatteryFeed(), ({ onBattery }) => onBattery),
        processors: isRoot ? fed(powermetricsFeed(), ({ onBattery }) => !onBattery) : nothing,
      };
    case "win32":
      return { battery: fed(windowsBatteryFeed(), ({ onBattery }) => onBattery), processors: nothing };
    default:
      return { battery: nothing, processors: nothing };
  }
}

/** A program that runs while there are jobs, and it has something to tell. */
function fed(feed: PowerFeed, isWanted: (now: Now) => boolean): Source {
  const energy = fedEnergy(feed);
  return { joules: energy.joules, follow: (now) => energy.follow(now.running && isWanted(now)) };
}

/** A power that costs nothing to look at. Between two looks it changes evenly. */
export function lookedAt(watts: () => number | null): Source {
  let sum = 0;
  let last: { readonly at: number; readonly watts: number } | null = null;
  return {
    joules: (at) => {
      const found = watts();
      if (found === null) {
        last = null;
        return null;
      }
      if (last !== null) sum += (((last.watts + found) / 2) * (at - last.at)) / 1_000;
      last = { at, watts: found };
      return sum;
    },
  };
}

/** The name tells which parts are counted, since only readings of the same parts can be compared. */
function withCards(ofProcessors: number | null, cards: OfCards | null): MeterReading | null {
  if (cards === null) return ofProcessors === null ? null : { meter: "processors", joules: ofProcessors };
  if (cards.joules === null) return null;
  if (ofProcessors === null) return { meter: "cards", joules: cards.joules };
  return { meter: "processors and cards", joules: ofProcessors + cards.joules };
}
