import { BackOff, doubling } from "@gleaner/queue/worker";
import type { ComputerFacts, Known } from "../../../app/facts/facts.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { isGpuFree } from "../../../app/policy/rules/load.ts";

/** In MiB. Small enough that a GPU of 8 GB counts as one. */
const stepMb = 512;
/** A value that rises by less than this above a step does not count as more. */
const riseMb = stepMb / 2;

/**
 * Free memory of a GPU in MiB, in steps. Each change ends the device's wait for jobs and starts another, so a value that
 * moves around a step must not change.
 * @param before the last step; null for none.
 */
export function vramStep(freeMb: number, before: number | null): number {
  const down = Math.floor(freeMb / stepMb) * stepMb;
  if (before === null || down <= before) return down;
  return Math.max(before, Math.floor((freeMb - riseMb) / stepMb) * stepMb);
}

/** The GPU at one moment. */
export type GpuSight = {
  /** In MiB, as the sensors know it. */
  readonly freeMb: Known<number>;
  /** Whether a runner is alive. Part of the memory may be its own, so the value from before its start counts. */
  readonly isRunning: boolean;
  /** Whether other programs leave the GPU free. False if that is unknown. */
  readonly isFree: boolean;
};

/** What a look at the GPU tells, by the rules. */
export function sightOf(
  { otherGpuLoad, vramFreeMb }: Pick<ComputerFacts, "otherGpuLoad" | "vramFreeMb">,
  rules: Rules,
  isRunning: boolean,
): GpuSight {
  const isFree = isGpuFree({ otherGpuLoad, gpuSampled: true }, rules, null);
  return { freeMb: vramFreeMb, isRunning, isFree };
}

type FreeVramDeps = {
  /** Looks at the GPU now. */
  readonly look: () => Promise<GpuSight>;
  /** The organization allows this device to use its GPU. */
  readonly isAllowed: () => boolean;
  /** The device takes jobs that may use the GPU. */
  readonly isWanted: () => boolean;
  /** `mb` has changed. */
  readonly onChange: () => void;
};

/**
 * Memory of the GPU for models. Nothing is sampled while the donor waits for jobs, so the last sight counts: from the
 * start of donating, from a search for models that fit, or from a job's start. A GPU that others use is looked at again
 * after a while, because no job comes that would do it.
 */
export class FreeVram {
  readonly #deps: FreeVramDeps;
  #step: number | null = null;
  #isFree = false;
  #told: number | null = null;
  #looking: Promise<void> | null = null;
  readonly #retry = new BackOff(doubling(60_000, 15 * 60_000));

  constructor(deps: FreeVramDeps) {
    this.#deps = deps;
  }

  /** In MiB, in steps. Null if it is unknown, or the GPU may not be used now. */
  get mb(): number | null {
    return this.#isFree && this.#deps.isAllowed() ? this.#step : null;
  }

  /** Looks at the GPU. Calls that come together share one look. */
  look(): Promise<void> {
    this.#looking ??= this.#deps
      .look()
      .then((sight) => this.saw(sight))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  saw({ freeMb, isRunning, isFree }: GpuSight): void {
    this.#isFree = isFree;
    if (!isRunning) this.#step = freeMb.known ? vramStep(freeMb.value, this.#step) : null;
    // It is really free if that holds while we use it. Otherwise the next look comes later than the last.
    if (isFree && isRunning) this.#retry.reset();
    this.#followUse();
    this.update();
  }

  stop(): void {
    this.#retry.reset();
  }

  #followUse(): void {
    if (this.#isFree || this.#step === null) this.#retry.cancel();
    else if (!this.#retry.isPending && this.#deps.isWanted()) {
      this.#retry.scheduleRetry(() => {
        if (this.#deps.isWanted()) void this.look();
      });
    }
  }

  /** Call this when `isAllowed` may have changed. */
  update(): void {
    if (this.#told === this.mb) return;
    this.#told = this.mb;
    this.#deps.onChange();
  }
}
