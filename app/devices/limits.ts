import { formatMebibytes, plural } from "../format/quantity.ts";

/** What an organization allows a device. A missing field allows everything that the device offers. */
export type DeviceLimits = {
  readonly models?: string[];
  /** False: the device gets no jobs that require a GPU. */
  readonly gpu?: boolean;
  /** The most memory that counts, in MiB. */
  readonly memoryMb?: number;
  /** The most jobs at once, in reserve or running. */
  readonly maxConcurrentJobs?: number;
};

/** `memoryMb`: 1 TiB. More jobs at once than these are never given to a device. */
export const limitBounds = { models: 32, memoryMb: 1_048_576, maxConcurrentJobs: 16 };

/** The limits in a few words each: "2 jobs at once", "no model". Empty without limits. */
export function limitWords({ models, gpu, memoryMb, maxConcurrentJobs }: DeviceLimits): readonly string[] {
  return [
    ...(maxConcurrentJobs === undefined ? [] : [plural(maxConcurrentJobs, "job at once", "jobs at once")]),
    ...(models === undefined ? [] : [models.length === 0 ? "no model" : `only ${models.join(", ")}`]),
    ...(memoryMb === undefined ? [] : [`${formatMebibytes(memoryMb)} of memory`]),
    ...(gpu === false ? ["no jobs that need a GPU"] : []),
  ];
}

/** Whether the limits allow the model. */
export function allowsModel({ models }: DeviceLimits, modelId: string): boolean {
  return models === undefined || models.includes(modelId);
}
