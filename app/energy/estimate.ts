/** The hardware that works on a job, as far as the estimate tells it apart. */
export type Hardware = {
  /** llama.cpp runs one thread on each physical core that it may use. */
  readonly threads: number;
  /** The share of the time in which it may work, 0 to 1. */
  readonly busyShare: number;
  readonly gpu: "none" | "integrated" | "card";
};

/**
 * A busy core draws this much more than one at rest. Cloud Carbon Footprint's coefficients give 3.2 W (Cascade Lake) and 3.4 W
 * (Skylake) for each hardware thread between rest and full load, and a core has two.
 */
export const wattsPerCore = 6.5;
/** An integrated GPU shares the processor's budget: 15 W is the base power of a thin laptop's processor. */
export const wattsOfIntegratedGpu = 15;
/** A PCI Express slot gives a card 75 W. Cards with cables of their own draw more, so this is careful. */
export const wattsOfCard = 75;

/** The power that a job adds to a computer: watts. A stated model, not a measurement; docs/energy.md says how good it is. */
export function estimatedWatts({ threads, busyShare, gpu }: Hardware): number {
  // While the GPU works, one core feeds it.
  const cores = gpu === "none" ? threads : 1;
  const ofGpu = { none: 0, integrated: wattsOfIntegratedGpu, card: wattsOfCard }[gpu];
  return busyShare * (cores * wattsPerCore + ofGpu);
}
