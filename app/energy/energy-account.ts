import { type EnergySource, type JobEnergy, microWhOf, mostWatts } from "./job-energy.ts";

/** The energy that a meter has counted since some moment. Only readings of the same meter can be compared. */
export type MeterReading = { readonly meter: string; readonly joules: number };

/** The state of the computer at a moment. */
export type PowerSample = {
  /** ms of a clock that nobody sets. */
  readonly at: number;
  /** Null if no meter can be read. */
  readonly reading: MeterReading | null;
  /** The estimated power of jobs from now on; watts. */
  readonly watts: number;
  /** How long nobody has used the computer; ms. Null if that is unknown. */
  readonly idleMs: number | null;
};

/** Shorter times say little about the power at rest. */
const shortestRestMs = 5_000;
const restsKept = 30;

type Share = { joules: number; source: EnergySource };

/**
 * Divides the energy of a computer among its jobs. While jobs run, each of them gets an equal share of it. The computer's power at
 * rest, which it learns while no job runs and nobody uses the computer, is subtracted. It uses the estimate without a meter, before the
 * power at rest is known, and while the meter counts no more than that.
 */
export class EnergyAccount {
  readonly #running = new Map<string, Share>();
  readonly #rests = new Map<string, number[]>();
  #last: PowerSample | null = null;

  begin(id: string, sample: PowerSample): void {
    this.advance(sample);
    this.#running.set(id, { joules: 0, source: "measured" });
  }

  /** @returns null for a job that did not begin. */
  end(id: string, sample: PowerSample): JobEnergy | null {
    this.advance(sample);
    const share = this.#running.get(id);
    this.#running.delete(id);
    if (share === undefined) return null;
    return { microWh: Math.round(microWhOf(share.joules)), source: share.source };
  }

  /** Books the time since the last sample. Call it often enough that a meter cannot overflow twice in between. */
  advance(sample: PowerSample): void {
    const last = this.#last;
    this.#last = sample;
    if (last === null || sample.at <= last.at) return;
    const ms = sample.at - last.at;
    const counted = countedBetween(last, sample);
    if (this.#running.size === 0) {
      const isRest = ms >= shortestRestMs && sample.idleMs !== null && sample.idleMs >= ms;
      if (counted !== null && isRest) this.#learnRest(counted.meter, counted.joules / ms);
      return;
    }
    const restPerMs = counted === null ? null : this.#restPerMs(counted.meter);
    const aboveRest = counted === null || restPerMs === null ? 0 : counted.joules - restPerMs * ms;
    // A job uses some energy. If none is left, the power at rest is not the one of now.
    const isMeasured = aboveRest > 0;
    const joules = isMeasured ? aboveRest : (last.watts * ms) / 1_000;
    for (const share of this.#running.values()) {
      share.joules += joules / this.#running.size;
      if (!isMeasured) share.source = "estimated";
    }
  }

  #learnRest(meter: string, joulesPerMs: number): void {
    const rests = this.#rests.get(meter) ?? [];
    this.#rests.set(meter, [...rests, joulesPerMs].slice(-restsKept));
  }

  /** The median: other programs may have worked in some of the times. */
  #restPerMs(meter: string): number | null {
    const rests = [...(this.#rests.get(meter) ?? [])].sort((a, b) => a - b);
    return rests[Math.floor((rests.length - 1) / 2)] ?? null;
  }
}

/** Null if no meter counted. A counter that was set back looks like one that overflowed: more than any computer draws. */
function countedBetween(before: PowerSample, after: PowerSample): MeterReading | null {
  if (before.reading === null || after.reading === null) return null;
  const { meter } = after.reading;
  if (before.reading.meter !== meter) return null;
  const joules = after.reading.joules - before.reading.joules;
  const most = (mostWatts * (after.at - before.at)) / 1_000;
  return joules >= 0 && joules <= most ? { meter, joules } : null;
}
