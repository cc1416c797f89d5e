/** Whether a meter of the computer counted the energy, or only the stated model did (estimate.ts). */
export const energySources = ["measured", "estimated"] as const;
export type EnergySource = (typeof energySources)[number];

/** The energy that a device used for a job, beyond what it draws at rest. */
export type JobEnergy = {
  /** Millionths of a watt-hour: a whole number, so that sums are exact. */
  readonly microWh: number;
  readonly source: EnergySource;
};

/** More than any computer that donates can draw. A claim beyond that is absurd. */
export const mostWatts = 2_000;

/** The clocks of a device and of the server differ a little. */
const spareMs = 1_000;

/** Checks the energy that a device claims for a job which it had for `heldMs`. Returns the mistake as a sentence, or null. */
export function energyMistake({ microWh }: JobEnergy, heldMs: number): string | null {
  const most = Math.ceil(microWhOf((mostWatts * (heldMs + spareMs)) / 1_000));
  if (Number.isSafeInteger(microWh) && microWh >= 0 && microWh <= most) return null;
  return "The energy of the answer is more than a computer can use in that time, or no whole number.";
}

/** @param joules watt-seconds. */
export function microWhOf(joules: number): number {
  return (joules / 3_600) * 1e6;
}

/** "0.002083": watt-hours as programs read them, without a power of ten. */
export function wattHoursText({ microWh }: Pick<JobEnergy, "microWh">): string {
  return (microWh / 1e6).toFixed(6).replace(/\.?0+$/, "");
}

/** The energy of several jobs. It is measured only if that of each is. Null if that of one is not known. */
export function sumOfEnergy(energies: readonly (JobEnergy | null)[]): JobEnergy | null {
  let microWh = 0;
  let source: EnergySource = "measured";
  for (const energy of energies) {
    if (energy === null) return null;
    microWh += energy.microWh;
    if (energy.source === "estimated") source = "estimated";
  }
  return energies.length === 0 ? null : { microWh, source };
}
