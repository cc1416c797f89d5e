import type { EnergySource } from "../../../app/energy/job-energy.ts";

/** How the energy of a job is known. */
export const energySourceWords: Readonly<Record<EnergySource, string>> = {
  measured: "measured by the device",
  estimated: "estimated from the device’s hardware",
};
