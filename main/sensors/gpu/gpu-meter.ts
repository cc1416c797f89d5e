import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { Found } from "../base/sensor.ts";

/** One GPU, as one source sees it. */
export type GpuReading = {
  /** The same for all sources: its PCI address if it has one. */
  readonly id: string;
  /** NVIDIA's number. The rules exclude GPUs by it. Null for other GPUs; "any" where a source cannot tell them apart. */
  readonly index: number | "any" | null;
  /** Part of the processor. The runner does not use it beside another GPU. */
  readonly integrated: boolean;
  /** Share of the time in which other programs keep it busy, 0 to 1. */
  readonly otherLoad: Known<number>;
  /** In MiB. */
  readonly vramFreeMb: Known<number>;
};

/** A source of GPU loads. It leaves out GPUs that it does not know. */
export type GpuMeter = {
  readonly source: string;
  /** Prepares for regular reads, for example with a long-lived program. The returned function ends that. */
  readonly open?: () => () => void;
  readonly read: () => Promise<readonly GpuReading[]>;
};

/**
 * The load of the busiest GPU that the runner would use, and the most free memory of one. The load is unknown if that of any
 * such GPU is unknown. The processor's own GPU has no memory of its own: it uses the computer's.
 * @param denied NVIDIA's numbers of excluded GPUs. With one excluded, the runner uses only NVIDIA's other GPUs.
 */
export function judgeGpus(
  readings: readonly GpuReading[],
  denied: readonly number[],
): Required<Pick<Found, "otherGpuLoad" | "vramFreeMb">> {
  const used = usedGpus(merged(readings), denied);
  const loads = used.map(({ otherLoad }) => otherLoad);
  // NVIDIA tells the memory of separate GPUs only. A virtual machine may show one at an integrated GPU's address.
  const separate = used.filter(({ integrated, index }) => !integrated || index !== null);
  const free = valuesOf(separate.map(({ vramFreeMb }) => vramFreeMb));
  const found = valuesOf(loads);
  return {
    otherGpuLoad: used.length === 0 || found.length < loads.length ? unknown : known(Math.max(...found)),
    vramFreeMb: free.length === 0 ? unknown : known(Math.max(...free)),
  };
}

function usedGpus(gpus: readonly GpuReading[], denied: readonly number[]): readonly GpuReading[] {
  if (denied.length > 0)
    return gpus.filter(({ index }) => index === "any" || (index !== null && !denied.includes(index)));
  const own = gpus.filter(({ integrated }) => !integrated);
  return own.length > 0 ? own : gpus;
}

/** Two sources may know the same GPU. The first that knows a value counts. */
function merged(readings: readonly GpuReading[]): readonly GpuReading[] {
  const found = new Map<string, GpuReading>();
  for (const reading of readings) {
    const other = found.get(reading.id);
    if (other === undefined) {
      found.set(reading.id, reading);
      continue;
    }
    found.set(reading.id, {
      ...other,
      index: other.index ?? reading.index,
      otherLoad: other.otherLoad.known ? other.otherLoad : reading.otherLoad,
      vramFreeMb: other.vramFreeMb.known ? other.vramFreeMb : reading.vramFreeMb,
    });
  }
  return [...found.values()];
}

function valuesOf(all: readonly Known<number>[]): readonly number[] {
  return all.flatMap((each) => (each.known ? [each.value] : []));
}

/** Whether it is part of the processor: such a GPU is on the first PCI bus, behind no bridge. */
export function isIntegrated(pciAddress: string): boolean {
  return /^0000:00:/.test(pciAddress);
}

/** A share of the time, from 0 to 1, in steps of 0.1 %. */
export function share(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1_000) / 1_000;
}
